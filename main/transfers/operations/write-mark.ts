import type { Sink } from './pump.ts';

/** Up to which byte a file is written without a hole, when its pieces arrive in any order. */
export class WriteMark {
  #end: number;
  /** Pieces beyond a hole: where each begins → where it ends. */
  readonly #ahead = new Map<number, number>();

  /** @param start bytes that are there already */
  constructor(start: number) {
    this.#end = start;
  }

  /** A piece is written. Pieces never overlap. @returns bytes from the beginning that are there without a hole */
  add(position: number, bytes: number): number {
    this.#ahead.set(position, position + bytes);
    for (let end = this.#ahead.get(this.#end); end !== undefined; end = this.#ahead.get(this.#end)) {
      this.#ahead.delete(this.#end);
      this.#end = end;
    }
    return this.#end;
  }
}

/** A sink whose bytes begin at a later place of a file, and that tells how far it is whole. */
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
