import { fstatSync, type Stats } from 'node:fs';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { DiskReserveReached, type WriteLimit } from '#master/store/disk-reserve.ts';

/** Place of a write: its offset in the file (null: at the end), and its number of bytes. */
interface Extent {
  readonly position: number | null;
  readonly bytes: number;
}

/** Asks the limit, such as the reserve of the disk, before each write to an open file. */
export class GrowingFile {
  readonly #file: number;
  readonly #limit: WriteLimit;
  /** Known minimum size of the file. A write within it leaves no hole, which needs no system call to find out. */
  #end = 0;
  #cutOff = false;

  /** @param file file descriptor */
  constructor(file: number, limit: WriteLimit) {
    this.#file = file;
    this.#limit = limit;
  }

  /** Whether the limit has refused a write, so that a part of the content is missing. */
  get cutOff(): boolean {
    return this.#cutOff;
  }

  /**
   * Runs a write if the limit permits it. A write in the middle of the file counts with all its bytes, because it may
   * fill a hole. A write beyond the end also counts the hole before it.
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
 * Returns by how many bytes the apparent size of a file grows. The bytes of a hole count like others, because they
 * need space as soon as they are written, and in every copy of the file.
 */
export function growth({ size }: Pick<Stats, 'size'>, newSize: number): number {
  return Math.max(0, newSize - size);
}
