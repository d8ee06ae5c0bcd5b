import { DATA_OFFSET } from './protocol/packets.ts';
import { MAX_DATA_BYTES } from './protocol/protocol.ts';

/**
 * Sizes of the pooled buffers (bytes): the usual 32 KB of data, and the maximum of data in an answer, each plus the
 * header of the packet.
 */
const SIZES = [32_768 + DATA_OFFSET, MAX_DATA_BYTES + DATA_OFFSET] as const;

/**
 * Maximum total size of the buffers of pending answers (bytes). Also the maximum total size of the free buffers that
 * are kept for reuse. The flow-control window of an SSH channel has the same size.
 */
const MOST_BYTES = 2 * 1_048_576;

/**
 * Pool of the buffers into which files are read. If a client receives its answers slowly, they still take up a
 * limited amount of memory (docs/adr/0007).
 */
export class ReadBuffers {
  readonly #free: Buffer[] = [];
  /**
   * Lent buffers by their memory. An answer that uses only a part of a buffer has the same memory, which identifies
   * the buffer.
   */
  readonly #lent = new Map<ArrayBufferLike, Buffer>();
  #lentBytes = 0;
  #freeBytes = 0;

  /**
   * Whether pending answers take up as much memory as the client can receive at once. Further answers would only wait
   * in memory.
   */
  get full(): boolean {
    return this.#lentBytes >= MOST_BYTES;
  }

  /**
   * Lends a buffer of at least `bytes` bytes with arbitrary content. The caller must return it with
   * {@link giveBack}.
   */
  lend(bytes: number): Buffer {
    const size = SIZES.find((one) => one >= bytes) ?? bytes;
    const index = this.#free.findLastIndex(({ length }) => length === size);
    const [kept] = index < 0 ? [] : this.#free.splice(index, 1);
    if (kept !== undefined) this.#freeBytes -= size;
    // allocUnsafeSlow allocates separate memory for the buffer, and not a part of Node's shared pool.
    const buffer = kept ?? Buffer.allocUnsafeSlow(size);
    this.#lent.set(buffer.buffer, buffer);
    this.#lentBytes += size;
    return buffer;
  }

  /**
   * Returns a lent buffer to the pool. A buffer that was not lent is ignored.
   *
   * @param part the lent buffer, or a part of it, that is no longer read
   * @returns true if the buffer was lent
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
