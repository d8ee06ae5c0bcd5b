import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Size at which a log file is rotated (bytes). Two files are kept, so a log takes at most twice this size. */
const MAX_BYTES = 2 * 1_048_576;

/**
 * An append-only text file of limited size. When the file reaches `maxBytes`, it is renamed to `<path>.1`, which
 * replaces the previous file of that name. While it cannot be renamed, it grows beyond the limit. Writes are
 * synchronous, so that the last lines before a crash are on disk.
 */
export class RotatingFile {
  readonly #path: string;
  readonly #maxBytes: number;
  /** Null until the first write. */
  #file: number | null = null;
  #bytes = 0;

  constructor(path: string, maxBytes = MAX_BYTES) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  /**
   * Appends a text, and creates the file and its folder if they are missing. A text longer than the limit is cut.
   * Never throws: a text that cannot be written, for example because the disk is full, is dropped.
   */
  write(text: string): void {
    const data = Buffer.from(text).subarray(0, this.#maxBytes);
    try {
      let file = this.#file ?? this.#open();
      if (this.#bytes > 0 && this.#bytes + data.length > this.#maxBytes) file = this.#rotate(file);
      this.#bytes += writeSync(file, data);
    } catch {
      // The app must also run if its log cannot be written. The next write tries again.
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #open(): number {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const file = openSync(this.#path, 'a', 0o600);
    this.#file = file;
    this.#bytes = fstatSync(file).size;
    return file;
  }

  #rotate(old: number): number {
    try {
      renameSync(this.#path, `${this.#path}.1`);
    } catch {
      // On Windows, another program may have the file open. A program may also have removed the file. Later texts are
      // appended to the file that is at the path now, or to a new one.
    }
    const file = this.#open();
    closeSync(old);
    return file;
  }
}
