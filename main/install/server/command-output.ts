import { LineReader } from './line-reader.ts';

/** Maximum output of a command (bytes). No command of the app prints more unless something is wrong. */
const MAX_BYTES = 4 * 1_048_576;

/** Collects output up to a limit, and passes on its lines. */
export class CommandOutput {
  readonly #reader: LineReader | null;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(onLine?: (line: string) => void) {
    this.#reader = onLine === undefined ? null : new LineReader(onLine);
  }

  /** Adds a chunk and passes on its lines. Drops everything beyond the limit. */
  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    // Lines beyond the limit are also dropped, because steps collect all lines that they receive.
    if (this.#bytes > MAX_BYTES) return;
    this.#reader?.add(chunk);
    this.#chunks.push(chunk);
  }

  /** Passes on the last line, and returns the whole output up to the limit. */
  end(): string {
    this.#reader?.end();
    return Buffer.concat(this.#chunks).toString();
  }
}
