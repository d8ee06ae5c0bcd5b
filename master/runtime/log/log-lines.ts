import { withoutEnd } from '#shared/text/without-end.ts';

/** Maximum length of a log line (bytes). The rest of a longer line is dropped. */
export const MAX_LINE_BYTES = 8192;

const NEWLINE = 0x0a;

/**
 * Splits a byte stream into lines. The stream may arrive in pieces of any size. Stores at most one line in memory.
 */
export class LogLineSplitter {
  #held: Buffer[] = [];
  #heldBytes = 0;
  #pendingBytes = 0;

  /** Number of bytes since the last line end, including those dropped from a line that is too long. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Adds bytes and returns the lines that they complete. */
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

  /** Returns the text after the last line end as a line; null if there is none. */
  flush(): string | null {
    return this.#pendingBytes === 0 ? null : this.#take();
  }

  #hold(bytes: Buffer): void {
    this.#pendingBytes += bytes.length;
    const room = MAX_LINE_BYTES - this.#heldBytes;
    if (room <= 0 || bytes.length === 0) return;
    // Copies the bytes, because the caller reuses its buffer.
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

/**
 * Decodes a line as UTF-8: cuts it to {@link MAX_LINE_BYTES} (8 KiB) without splitting a character, and removes a CR
 * at its end.
 */
export function decodeLine(bytes: Buffer): string {
  const text = bytes.subarray(0, MAX_LINE_BYTES).toString('utf8');
  const whole = bytes.length >= MAX_LINE_BYTES ? withoutEnd(text, '\ufffd') : text;
  return whole.endsWith('\r') ? whole.slice(0, -1) : whole;
}

/**
 * Counts the line ends in a piece of a log.
 *
 * Example: `countLines(Buffer.from('a\nb\nc'))` is 2.
 */
export function countLines(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
