import { RateBucket } from './rate-bucket.ts';

/** Connections of one address at once: all services of a large node, four times over, when the master has started again. */
export const ADDRESS_BURST = 256;

/** And each second after that: handshakes of one address take a tenth of one core at most. */
export const ADDRESS_PER_SECOND = 64;

/** Most addresses that are remembered; those beyond share one bucket until others are forgotten. */
const MAX_ADDRESSES = 4_096;

/** After this an address has all of its burst again, so there is nothing to remember, ms. */
const FORGOTTEN_AFTER_MS = (ADDRESS_BURST / ADDRESS_PER_SECOND) * 1_000;

interface Known {
  readonly bucket: RateBucket;
  usedAt: number;
}

/** Bounds how often one address may connect, before a byte of TLS is spent on it. */
export class AddressGate {
  readonly #known = new Map<string, Known>();
  /** All are looked through seldom: new addresses may come as fast as somebody likes. */
  #forgotAt = -Infinity;

  /** Addresses that are remembered. */
  get size(): number {
    return this.#known.size;
  }

  /** @param now ms, by a clock that nobody sets */
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
    const bucket = new RateBucket({ burst: ADDRESS_BURST, perSecond: ADDRESS_PER_SECOND, now });
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

/** An address of IPv4, however it is written; of IPv6 the first 64 bits, as who has one of them has all (RFC 6177). */
export function networkOf(address: string): string {
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [front = '', back] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const groups = front === '' ? [] : front.split(':');
  const zeros = back === undefined ? [] : Array<string>(4).fill('0');
  return [...groups, ...zeros].slice(0, 4).join(':');
}
