import { TokenBucket } from '#shared/node/token-bucket.ts';

/**
 * Maximum burst of connections from one address: four times the services of a large node, for a restart of the
 * master.
 */
export const ADDRESS_BURST = 256;

/** Connections per second after the burst. Handshakes with one address then take at most a tenth of one core. */
export const ADDRESS_PER_SECOND = 64;

/** Maximum number of addresses to remember. Further ones share one bucket until others are forgotten. */
const MAX_ADDRESSES = 4_096;

/** Time after which an address has its full burst again and can be forgotten (ms). */
const FORGOTTEN_AFTER_MS = (ADDRESS_BURST / ADDRESS_PER_SECOND) * 1_000;

interface Known {
  readonly bucket: TokenBucket;
  usedAt: number;
}

/** Limits how often one address may connect, before any work for TLS. */
export class AddressGate {
  readonly #known = new Map<string, Known>();
  /** When old addresses were last removed. This is limited, as new addresses may come at any rate. */
  #forgotAt = -Infinity;

  /** Number of remembered addresses. */
  get size(): number {
    return this.#known.size;
  }

  /**
   * Reports whether an address may connect now, and counts the attempt.
   *
   * @param now monotonic time (ms)
   */
  admits(address: string | undefined, now: number): boolean {
    const known = this.#of(networkOf(address ?? ''), now);
    known.usedAt = now;
    return known.bucket.take(1, now) === 0;
  }

  #of(network: string, now: number): Known {
    const before = this.#known.get(network);
    if (before !== undefined) return before;
    this.#forget(now);
    if (this.#known.size >= MAX_ADDRESSES && network !== '') return this.#of('', now);
    const bucket = new TokenBucket({ burst: ADDRESS_BURST, perSecond: ADDRESS_PER_SECOND, now });
    const known = { bucket, usedAt: now };
    this.#known.set(network, known);
    return known;
  }

  #forget(now: number): void {
    if (this.#known.size < MAX_ADDRESSES || now - this.#forgotAt < FORGOTTEN_AFTER_MS) return;
    this.#forgotAt = now;
    for (const [network, { usedAt }] of this.#known)
      if (now - usedAt > FORGOTTEN_AFTER_MS) this.#known.delete(network);
  }
}

/**
 * Returns the network of an address: for IPv4 the address itself, for IPv6 its first 64 bits, as one machine
 * usually has all addresses of that prefix (RFC 6177).
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
