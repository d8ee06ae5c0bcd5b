import { DATA_OFFSET } from './packets.ts';
import { MAX_DATA_BYTES } from './protocol.ts';

/** Sizes that are kept: the usual 32 KB of data and the most that is ever answered, each with the packet's head. */
const SIZES = [32_768 + DATA_OFFSET, MAX_DATA_BYTES + DATA_OFFSET] as const;

/** Bytes that answers on their way may hold, and that are kept for the next: what the window of a channel takes. */
const MOST_BYTES = 2 * 1_048_576;

/**
 * The buffers that files are read into, used again once they are sent: however slowly a client takes its answers, they
 * hold no more memory than this (docs/adr/0007).
 */
export class ReadBuffers {
  readonly #free: Buffer[] = [];
  /** By what a shortened answer shares with the buffer it was cut from. */
  readonly #lent = new Map<ArrayBufferLike, Buffer>();
  #lentBytes = 0;
  #freeBytes = 0;

  /** True while answers on their way hold as much as the client takes at once: more would only wait in memory. */
  get full(): boolean {
    return this.#lentBytes >= MOST_BYTES;
  }

  /** Lends a buffer of at least so many bytes, with anything in it. To be given back. */
  lend(bytes: number): Buffer {
    const size = SIZES.find((one) => one >= bytes) ?? bytes;
    const index = this.#free.findLastIndex(({ length }) => length === size);
    const [kept] = index < 0 ? [] : this.#free.splice(index, 1);
    if (kept !== undefined) this.#freeBytes -= size;
    // Slow: with memory of its own, not a piece of what others share.
    const buffer = kept ?? Buffer.allocUnsafeSlow(size);
    this.#lent.set(buffer.buffer, buffer);
    this.#lentBytes += size;
    return buffer;
  }

  /**
   * @param part what was lent, or a piece of it, that nobody reads any more; anything else is left alone
   * @returns true when it had been lent
   */
  giveBack(part: Buffer): boolean {
    const buffer = this.#lent.get(part.buffer);
    if (buffer === undefined) return false;
    this.#lent.delete(part.buffer);
    this.#lentBytes -= buffer.length;
    if (this.#freeBytes + buffer.length <= MOST_BYTES) {
      this.#free.push(buffer);
      this.#freeBytes += buffer.length;
    }
    return true;
  }
}
