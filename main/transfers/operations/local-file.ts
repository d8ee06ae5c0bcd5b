import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { toLocalError } from '../remote/file-errors.ts';
import type { Sink, Source } from './pump.ts';

/**
 * Permission bits of what is made on this computer, from those the master says: other users may never change it, as
 * with the usual umask (022), whoever runs the master.
 */
export function localMode(remote: number): number {
  return remote & 0o755;
}

/** An open file on this computer. All errors name its path. */
export class LocalFile implements Source, Sink {
  readonly #path: string;
  readonly #handle: FileHandle;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /**
   * Opens a file to read; a link is not followed, as it may have been put there since the folder was walked (Windows
   * has no such flag, and the constant counts as 0 there).
   */
  static async toRead(path: string): Promise<LocalFile> {
    return LocalFile.#open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  }

  /** Makes a new file to write, for this user alone until its mode is set. */
  static async toWrite(path: string): Promise<LocalFile> {
    return LocalFile.#open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
  }

  /** Opens one that {@link toWrite} made, to read and write on. */
  static async toGoOn(path: string): Promise<LocalFile> {
    return LocalFile.#open(path, constants.O_RDWR | constants.O_NOFOLLOW);
  }

  static async #open(path: string, flags: number): Promise<LocalFile> {
    try {
      return new LocalFile(path, await open(path, flags, 0o600));
    } catch (error) {
      throw toLocalError(error, path);
    }
  }

  async readAt(buffer: Buffer, position: number): Promise<number> {
    return this.#guard(async () => {
      let filled = 0;
      while (filled < buffer.length) {
        const { bytesRead } = await this.#handle.read(
          buffer,
          filled,
          buffer.length - filled,
          position + filled,
        );
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled;
    });
  }

  async writeAt(buffer: Buffer, position: number): Promise<void> {
    await this.#guard(async () => {
      let written = 0;
      while (written < buffer.length) {
        const { bytesWritten } = await this.#handle.write(
          buffer,
          written,
          buffer.length - written,
          position + written,
        );
        written += bytesWritten;
      }
    });
  }

  stat(): Promise<Stats> {
    return this.#guard(() => this.#handle.stat());
  }

  /** Sets mode and time, and makes the content survive a power cut. */
  async finish(mode: number, modifiedAt: number): Promise<void> {
    await this.#guard(async () => {
      await this.#handle.chmod(mode);
      await this.#handle.utimes(new Date(), new Date(modifiedAt));
      await this.#handle.sync();
    });
  }

  close(): Promise<void> {
    return this.#guard(() => this.#handle.close());
  }

  async #guard<T>(operation: () => Promise<T>): Promise<T> {
    try {
      return await operation();
    } catch (error) {
      throw toLocalError(error, this.#path);
    }
  }
}
