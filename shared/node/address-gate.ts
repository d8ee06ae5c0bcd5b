import { TokenBucket } from './token-bucket.ts';

/**
 * Maximum number of stored networks (see {@link networkOf}), and of stored /48 networks. Until stored networks are
 * removed, further networks share one limit.
 */
const MAX_ADDRESSES = 4_096;

/** How often one address may connect. */
export interface AddressRate {
  /** Maximum number of connections in a burst. */
  readonly burst: number;
  /** Number of further connections per second after the burst. */
  readonly perSecond: number;
}

interface Known {
  readonly bucket: TokenBucket;
  usedAt: number;
}

/**
 * Limits how often one address may connect. The check is made before any work for TLS or SSH.
 *
 * One customer can have all IPv6 networks (/64) in a /48 network (RFC 6177). Therefore, the same rate also limits the
 * number of new /64 networks in each /48 network. Otherwise, a single attacker could use up the room for stored
 * networks.
 */
export class AddressGate {
  readonly #networks: Buckets;
  /** Limits of the /48 networks. */
  readonly #customers: Buckets;

  constructor(rate: AddressRate) {
    this.#networks = new Buckets(rate);
    this.#customers = new Buckets(rate);
  }

  /** Number of stored addresses and networks. */
  get size(): number {
    return this.#networks.size + this.#customers.size;
  }

  /**
   * Returns whether an address may connect now, and counts the attempt.
   *
   * @param now monotonic time (ms)
   */
  admits(address: string | undefined, now: number): boolean {
    const network = networkOf(address ?? '');
    const customer = this.#networks.has(network) ? null : customerOf(network);
    return (customer === null || this.#customers.take(customer, now)) && this.#networks.take(network, now);
  }
}

/** A bucket for each key, up to {@link MAX_ADDRESSES}. Further keys share one bucket. */
class Buckets {
  readonly #rate: AddressRate;
  /** Time after which an unused bucket is full again and can be removed (ms). */
  readonly #forgottenAfterMs: number;
  readonly #known = new Map<string, Known>();
  /**
   * Time of the last removal of unused buckets (monotonic ms). The removal runs at intervals and not for each new
   * address, because new addresses may arrive at any rate.
   */
  #forgotAt = -Infinity;

  constructor(rate: AddressRate) {
    this.#rate = rate;
    this.#forgottenAfterMs = (rate.burst / rate.perSecond) * 1_000;
  }

  get size(): number {
    return this.#known.size;
  }

  has(key: string): boolean {
    return this.#known.has(key);
  }

  /** Takes one token of the key's bucket. Returns false if the bucket is empty. @param now monotonic time (ms) */
  take(key: string, now: number): boolean {
    const known = this.#of(key, now);
    known.usedAt = now;
    return known.bucket.take(1, now) === 0;
  }

  #of(key: string, now: number): Known {
    const before = this.#known.get(key);
    if (before !== undefined) return before;
    this.#forget(now);
    if (this.#known.size >= MAX_ADDRESSES && key !== '') return this.#of('', now);
    const bucket = new TokenBucket({ ...this.#rate, now });
    const known = { bucket, usedAt: now };
    this.#known.set(key, known);
    return known;
  }

  #forget(now: number): void {
    if (this.#known.size < MAX_ADDRESSES || now - this.#forgotAt < this.#forgottenAfterMs) return;
    this.#forgotAt = now;
    for (const [key, { usedAt }] of this.#known)
      if (now - usedAt > this.#forgottenAfterMs) this.#known.delete(key);
  }
}

/**
 * Returns the network of an address. For IPv4, this is the address itself. For IPv6, it is the first 64 bits, because
 * one machine usually has all addresses of such a network (RFC 6177).
 *
 * Example: `::ffff:198.51.100.7` → `198.51.100.7`; `2001:db8:1:2::9` → `2001:db8:1:2`.
 */
export function networkOf(address: string): string {
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [front = '', back] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const groups = front === '' ? [] : front.split(':');
  const zeros = back === undefined ? [] : Array<string>(4).fill('0');
  return [...groups, ...zeros].slice(0, 4).join(':');
}

/**
 * Returns the /48 network around the /64 network of an IPv6 address. Null for IPv4.
 *
 * Example: `2001:db8:1:2` → `2001:db8:1::/48`.
 */
function customerOf(network: string): string | null {
  const groups = network.split(':');
  return groups.length === 4 ? `${groups.slice(0, 3).join(':')}::/48` : null;
}
