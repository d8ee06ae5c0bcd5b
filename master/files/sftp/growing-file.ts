import { fstatSync, type Stats } from 'node:fs';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { DiskReserveReached, type WriteLimit } from '#master/store/disk-reserve.ts';

/** Place of a write: its offset in the file (null: at the end), and its number of bytes. */
interface Extent {
  readonly position: number | null;
  readonly bytes: number;
}

/** An open file whose writes are checked against a limit, such as the reserve of the disk. */
export class GrowingFile {
  readonly #file: number;
  readonly #limit: WriteLimit;
  /**
   * Known minimum size of the file (bytes). A write that begins within this size leaves no hole, so no system call is
   * needed to check for a hole.
   */
  #end = 0;
  #cutOff = false;

  /** @param file file descriptor */
  constructor(file: number, limit: WriteLimit) {
    this.#file = file;
    this.#limit = limit;
  }

  /** Whether the limit has refused a write, so that a part of the file's content is missing. */
  get cutOff(): boolean {
    return this.#cutOff;
  }

  /**
   * Runs a write if the limit permits it. All bytes of a write in the middle of the file count, because they may fill
   * a hole. A write beyond the end of the file also counts the hole that it leaves.
   *
   * @throws DiskReserveReached, OverworldError VOLUME_FULL, before anything is written; errors of `work`
   */
  async write({ position, bytes }: Extent, work: () => Promise<void>): Promise<void> {
    const end = position === null ? 0 : position + bytes;
    const leavesHole = position !== null && position > this.#end;
    const growsBy = leavesHole ? Math.max(bytes, growth(fstatSync(this.#file), end)) : bytes;
    try {
      await this.#limit.use(growsBy, work);
    } catch (error) {
      this.#cutOff ||= error instanceof DiskReserveReached || hasCode(error, 'VOLUME_FULL');
      throw error;
    }
    this.#end = Math.max(this.#end, end);
  }
}

/**
 * Returns by how many bytes the apparent size of a file grows. The bytes of a hole count as well, because they need
 * space as soon as they are written, and in every copy of the file.
 */
export function growth({ size }: Pick<Stats, 'size'>, newSize: number): number {
  return Math.max(0, newSize - size);
}
