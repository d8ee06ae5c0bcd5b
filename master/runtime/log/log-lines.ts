/** Longer lines are cut here, in bytes; what follows up to the line end is dropped. */
export const MAX_LINE_BYTES = 8192;

const NEWLINE = 0x0a;

/** Turns a stream of bytes, cut anywhere, into lines. Memory is bounded by one line. */
export class LineSplitter {
  #held: Buffer[] = [];
  #heldBytes = 0;
  #pendingBytes = 0;

  /** Bytes since the last line end, also those dropped from a line that is too long. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Takes the next bytes; returns the lines that they complete. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#hold(chunk.subarray(from, at));
      lines.push(this.#take());
      from = at + 1;
    }
    this.#hold(chunk.subarray(from));
    return lines;
  }

  /** What stands after the last line end, as a line; null when there is nothing. */
  flush(): string | null {
    return this.#pendingBytes === 0 ? null : this.#take();
  }

  #hold(bytes: Buffer): void {
    this.#pendingBytes += bytes.length;
    const room = MAX_LINE_BYTES - this.#heldBytes;
    if (room <= 0 || bytes.length === 0) return;
    // A copy: the reader uses its buffer again.
    const kept = Buffer.from(bytes.subarray(0, room));
    this.#held.push(kept);
    this.#heldBytes += kept.length;
  }

  #take(): string {
    const line = decodeLine(Buffer.concat(this.#held));
    this.#held = [];
    this.#heldBytes = 0;
    this.#pendingBytes = 0;
    return line;
  }
}

/** One line's bytes as text: cut to {@link MAX_LINE_BYTES} but never inside a character, without a CR at its end. */
export function decodeLine(bytes: Buffer): string {
  const text = bytes.subarray(0, MAX_LINE_BYTES).toString('utf8');
  const whole = bytes.length >= MAX_LINE_BYTES ? text.replace(/\ufffd+$/, '') : text;
  return whole.endsWith('\r') ? whole.slice(0, -1) : whole;
}

/** How many line ends a piece of a log holds. */
export function countLines(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
