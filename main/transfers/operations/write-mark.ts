import type { Sink } from '../remote/pump.ts';

/** Position up to which a file is written without holes, while its pieces arrive in any order. */
export class WriteMark {
  #end: number;
  /** Pieces beyond a hole: start → end. */
  readonly #ahead = new Map<number, number>();

  /** @param start number of bytes that already exist */
  constructor(start: number) {
    this.#end = start;
  }

  /**
   * Adds a written piece. Pieces never overlap.
   *
   * @returns number of bytes from the start without a hole
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

/** Returns a sink that starts at an offset of another and reports up to where the file is complete. */
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
