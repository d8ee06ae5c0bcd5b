import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { toLocalError } from '../remote/file-errors.ts';
import type { Sink, Source } from '../remote/copy-bytes.ts';

/**
 * Returns the permission bits of a file that is created on this computer. Other users may never write to it, as
 * under the usual umask (022), even if the master's file allows it.
 *
 * Example: `0o666` → `0o644`.
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
   * Opens a file for reading. Does not follow a link, because someone may have replaced the file with a link after
   * the folder was walked. Windows has no such flag, so links are followed there.
   */
  static async toRead(path: string): Promise<LocalFile> {
    return LocalFile.#open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  }

  /** Creates a new file for writing. Until its mode is set, no other user can access it. */
  static async toWrite(path: string): Promise<LocalFile> {
    return LocalFile.#open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
  }

  /** Opens a file that {@link toWrite} created, to continue reading and writing. */
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

  /**
   * Fills the buffer from a position of the file.
   *
   * @returns number of bytes read; fewer than the buffer only at the end of the file
   */
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

  /** Writes the whole buffer at a position of the file. */
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

  /** Sets mode and time (ms since epoch), and flushes the content to disk. */
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
