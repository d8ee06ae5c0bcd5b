import { fstatSync } from 'node:fs';
import { DATA_OFFSET } from './packets.ts';
import { system } from './system-calls.ts';

/** Largest file that is read ahead, bytes. */
const MAX_BYTES = 32_768;

/** Files of one session that are read ahead and not asked for yet: together they hold 256 KB at most. */
const MAX_FILES = 8;

/** A file that changed this recently could change again without its time of change telling, ms; the kernel's clock has steps of up to 10. */
const RACY_MS = 50;

interface Ahead {
  readonly buffer: Buffer;
  readonly size: number;
  readonly changedMs: number;
  readonly bytesRead: Promise<number>;
}

/**
 * Reads small files of one session as they are opened, while the answer to OPEN is on its way: the READ that follows
 * finds its bytes here. They are handed out only if the kernel says that the file has not changed meanwhile.
 */
export class ReadAhead {
  readonly #files = new Map<number, Ahead>();

  /**
   * Begins to read a file that was just opened, if it is small and there is room.
   *
   * @param file its number; to be closed only after {@link forget} and after what `run` was given has ended
   * @param run puts the reading in order with what else is done to the file
   */
  begin(file: number, run: (read: () => Promise<number>) => Promise<number>): void {
    if (this.#files.size >= MAX_FILES) return;
    const { size, ctimeMs } = fstatSync(file);
    if (size === 0 || size > MAX_BYTES || Math.abs(Date.now() - ctimeMs) < RACY_MS) return;
    const buffer = Buffer.allocUnsafeSlow(DATA_OFFSET + size);
    const bytesRead = run(async () => (await system.read(file, buffer, DATA_OFFSET, size, 0)).bytesRead);
    // Who asks for the bytes reads the file again, and is told what is wrong.
    const noted = bytesRead.catch(() => -1);
    this.#files.set(file, { buffer, size, changedMs: ctimeMs, bytesRead: noted });
  }

  /**
   * Takes what was read ahead of a file, if it is all of the file as it is now.
   *
   * @returns a buffer with the bytes from {@link DATA_OFFSET}, of the taker's own
   */
  async take(file: number): Promise<Buffer | null> {
    const ahead = this.#files.get(file);
    if (ahead === undefined) return null;
    this.#files.delete(file);
    if ((await ahead.bytesRead) !== ahead.size) return null;
    const { size, ctimeMs } = fstatSync(file);
    return size === ahead.size && ctimeMs === ahead.changedMs ? ahead.buffer : null;
  }

  /** Drops what was read ahead of a file that is closed. */
  forget(file: number): void {
    this.#files.delete(file);
  }
}
