import { fstatSync } from 'node:fs';
import { DATA_OFFSET } from './packets.ts';
import { system } from './system-calls.ts';

/** Maximum size of a file that is read ahead (bytes). */
const MAX_BYTES = 32_768;

/**
 * Maximum number of files per session that are read ahead but not yet requested; together they take up at most 256
 * KB.
 */
const MAX_FILES = 8;

/**
 * Age of the last change below which a file is not read ahead (ms). The kernel's clock advances in steps of up to
 * 10 ms, so a further change might leave the change time unmodified.
 */
const RACY_MS = 50;

interface Ahead {
  readonly buffer: Buffer;
  readonly size: number;
  readonly changedMs: number;
  readonly bytesRead: Promise<number>;
}

/**
 * Reads small files of one session as soon as they are opened, while the answer to OPEN is on its way, so that the
 * following READ finds its bytes in memory. The bytes are used only if the kernel reports that the file has not
 * changed.
 */
export class ReadAhead {
  readonly #files = new Map<number, Ahead>();

  /**
   * Starts to read a file that was just opened, if it is small and the limit of files is not reached.
   *
   * @param file file descriptor; it must stay open until {@link forget} was called and the work passed to `run` has
   *   finished
   * @param run puts the read in order with the other operations on the file
   */
  begin(file: number, run: (read: () => Promise<number>) => Promise<number>): void {
    if (this.#files.size >= MAX_FILES) return;
    const { size, ctimeMs } = fstatSync(file);
    if (size === 0 || size > MAX_BYTES || Math.abs(Date.now() - ctimeMs) < RACY_MS) return;
    const buffer = Buffer.allocUnsafeSlow(DATA_OFFSET + size);
    const bytesRead = run(async () => (await system.read(file, buffer, DATA_OFFSET, size, 0)).bytesRead);
    // The READ that needs these bytes reads the file again and reports the error.
    const noted = bytesRead.catch(() => -1);
    this.#files.set(file, { buffer, size, changedMs: ctimeMs, bytesRead: noted });
  }

  /**
   * Takes the bytes that were read ahead, if they are the complete current content of the file.
   *
   * @returns a buffer owned by the caller, with the bytes from {@link DATA_OFFSET} on; null if there are none
   */
  async take(file: number): Promise<Buffer | null> {
    const ahead = this.#files.get(file);
    if (ahead === undefined) return null;
    this.#files.delete(file);
    if ((await ahead.bytesRead) !== ahead.size) return null;
    const { size, ctimeMs } = fstatSync(file);
    return size === ahead.size && ctimeMs === ahead.changedMs ? ahead.buffer : null;
  }

  /** Discards the bytes that were read ahead of a closed file. */
  forget(file: number): void {
    this.#files.delete(file);
  }
}
