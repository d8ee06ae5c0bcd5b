import { StringDecoder } from 'node:string_decoder';

/** Maximum length of a line (characters). A longer line is passed on in parts. */
const MAX_LENGTH = 65_536;

/** Splits a byte stream into lines of text. */
export class LineReader {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /**
   * Passes on the lines that a chunk completes, without their line ends. Passes on a line that is too long in parts.
   */
  add(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#onLine(line.replace(/\r$/, ''));
    if (this.#rest.length > MAX_LENGTH) this.end();
  }

  /** Passes on the last line if it has no line end. */
  end(): void {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = '';
    if (rest !== '') this.#onLine(rest);
  }
}
