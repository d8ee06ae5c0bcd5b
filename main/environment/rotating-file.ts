import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Size at which a log file is rotated (bytes). Two files are kept, so a log takes at most twice this size. */
const MAX_BYTES = 2 * 1_048_576;

/**
 * An append-only text file of limited size. When the file reaches `maxBytes`, it is renamed to `<path>.1`, which
 * replaces the previous file of that name. Writes are synchronous, so that the last lines before a crash are on disk.
 */
export class RotatingFile {
  readonly #path: string;
  readonly #maxBytes: number;
  #file: number;
  #bytes: number;

  constructor(path: string, maxBytes = MAX_BYTES) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#file = openSync(path, 'a', 0o600);
    this.#bytes = fstatSync(this.#file).size;
  }

  /** Appends a text. A text longer than the limit is cut. */
  write(text: string): void {
    const data = Buffer.from(text).subarray(0, this.#maxBytes);
    if (this.#bytes > 0 && this.#bytes + data.length > this.#maxBytes) this.#rotate();
    writeSync(this.#file, data);
    this.#bytes += data.length;
  }

  close(): void {
    closeSync(this.#file);
  }

  #rotate(): void {
    closeSync(this.#file);
    renameSync(this.#path, `${this.#path}.1`);
    this.#file = openSync(this.#path, 'a', 0o600);
    this.#bytes = 0;
  }
}
