import { TokenBucket } from './token-bucket.ts';

/** Maximum number of addresses to store. Further addresses share one limit until stored addresses are removed. */
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
 * The same rate limits the number of new IPv6 networks (/64) in a /48 network, because one customer can have all of
 * them (RFC 6177). Otherwise, a single attacker could use up all stored addresses.
 */
export class AddressGate {
  readonly #rate: AddressRate;
  /** Time after which an unused address has its full burst again and can be removed (ms). */
  readonly #forgottenAfterMs: number;
  readonly #known = new Map<string, Known>();
  /**
   * Time of the last removal of old addresses (monotonic ms). The removal runs at intervals and not for each new
   * address, because new addresses may arrive at any rate.
   */
  #forgotAt = -Infinity;

  constructor(rate: AddressRate) {
    this.#rate = rate;
    this.#forgottenAfterMs = (rate.burst / rate.perSecond) * 1_000;
  }

  /** Number of stored addresses. */
  get size(): number {
    return this.#known.size;
  }

  /**
   * Returns whether an address may connect now, and counts the attempt.
   *
   * @param now monotonic time (ms)
   */
  admits(address: string | undefined, now: number): boolean {
    const network = networkOf(address ?? '');
    const around = this.#known.has(network) ? null : aroundOf(network);
    return (around === null || this.#take(around, now)) && this.#take(network, now);
  }

  #take(network: string, now: number): boolean {
    const known = this.#of(network, now);
    known.usedAt = now;
    return known.bucket.take(1, now) === 0;
  }

  #of(network: string, now: number): Known {
    const before = this.#known.get(network);
    if (before !== undefined) return before;
    this.#forget(now);
    if (this.#known.size >= MAX_ADDRESSES && network !== '') return this.#of('', now);
    const bucket = new TokenBucket({ ...this.#rate, now });
    const known = { bucket, usedAt: now };
    this.#known.set(network, known);
    return known;
  }

  #forget(now: number): void {
    if (this.#known.size < MAX_ADDRESSES || now - this.#forgotAt < this.#forgottenAfterMs) return;
    this.#forgotAt = now;
    for (const [network, { usedAt }] of this.#known)
      if (now - usedAt > this.#forgottenAfterMs) this.#known.delete(network);
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
function aroundOf(network: string): string | null {
  const groups = network.split(':');
  return groups.length === 4 ? `${groups.slice(0, 3).join(':')}::/48` : null;
}
