/** Byte that separates lines. */
const NEWLINE = 0x0a;

/** Splits a byte stream into lines. After each {@link add}, call {@link next} until it returns no line. */
export class LineSplitter {
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #lookFrom = 0;

  /** Maximum length of a line (bytes). */
  maxBytes: number;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Adds received bytes. */
  add(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
  }

  /**
   * Returns the next complete line without its newline. Null if there is no complete line yet; `'too-long'` if the
   * line exceeds the limit.
   */
  next(): Buffer | 'too-long' | null {
    const last = this.#waiting.length - 1;
    // Only new chunks are searched; earlier ones contain no newline.
    for (let index = this.#lookFrom; index <= last; index++) {
      const end = this.#waiting[index]?.indexOf(NEWLINE) ?? -1;
      if (end >= 0) return this.#take(index, end);
    }
    this.#lookFrom = last + 1;
    return this.#waitingBytes > this.maxBytes ? 'too-long' : null;
  }

  #take(index: number, end: number): Buffer | 'too-long' {
    const parts = this.#waiting.slice(0, index);
    const piece = this.#waiting[index] ?? Buffer.alloc(0);
    const line = Buffer.concat([...parts, piece.subarray(0, end)]);
    const rest = piece.subarray(end + 1);
    this.#waiting = [...(rest.length > 0 ? [rest] : []), ...this.#waiting.slice(index + 1)];
    this.#waitingBytes -= line.length + 1;
    this.#lookFrom = 0;
    return line.length > this.maxBytes ? 'too-long' : line;
  }
}
