import type { Sink } from '../remote/copy-bytes.ts';

/** Position up to which a file is written without holes, while its pieces arrive in any order. */
export class WriteMark {
  #end: number;
  /** Pieces beyond a hole: start → end. */
  readonly #ahead = new Map<number, number>();

  /**
   * Creates the mark of a file that is complete up to `start`.
   *
   * @param start number of bytes that already exist
   */
  constructor(start: number) {
    this.#end = start;
  }

  /**
   * Adds a written piece. Pieces never overlap.
   *
   * @returns number of bytes from the start of the file without a hole
   */
  add(position: number, bytes: number): number {
    this.#ahead.set(position, position + bytes);
    for (let end = this.#ahead.get(this.#end); end !== undefined; end = this.#ahead.get(this.#end)) {
      this.#ahead.delete(this.#end);
      this.#end = end;
    }
    return this.#end;
  }
}

/**
 * Returns a sink that writes to another sink from an offset onwards.
 *
 * @param from offset in the file (bytes); the file must be complete up to it
 * @param onMark called after each piece with the number of bytes from the start of the file without a hole
 */
export function markedSink(sink: Sink, from: number, onMark: (bytes: number) => void): Sink {
  const mark = new WriteMark(from);
  return {
    writeAt: async (buffer, position) => {
      const bytes = buffer.length;
      await sink.writeAt(buffer, position + from);
      onMark(mark.add(position + from, bytes));
    },
  };
}
