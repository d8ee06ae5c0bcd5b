import { statfsSync, statSync } from 'node:fs';
import type { MasterConfig } from '#shared/config/master.ts';
import { preciseMs } from '#shared/node/clock.ts';

const MB = 2 ** 20;

/** Maximum age of a measurement of the free space (ms). It is short because other programs use the same disk. */
const MAX_AGE_MS = 100;

/** Minimum size of a write for which the free space is always measured again (bytes). */
const LARGE_BYTES = 2 * MB;

/** Maximum share of a disk that may be reserved, so that a small disk can still be used. */
const MAX_SHARE = 0.25;

/** Number of files and folders that users cannot use up, because they are reserved for the master's own data. */
const RESERVED_FILES = 10_000;

/** Minimum space that a new file or folder takes (bytes): one block of the usual size. */
const ENTRY_BYTES = 4_096;

/** Free and total space of a disk. `totalFiles` is 0 if the file system has no limit for the number of files. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
  readonly freeFiles: number;
  readonly totalFiles: number;
}

/** Thrown when a write would use space that is reserved for the master's own data. The message is a sentence. */
export class DiskReserveReached extends Error {
  override readonly name = 'DiskReserveReached';
}

interface DiskReserveOptions {
  /**
   * Measures the disk. It is called if the last measurement is older than {@link MAX_AGE_MS}, before large writes,
   * and before each refusal.
   */
  readonly measure: () => DiskSpace;
  /** Returns the setting `storage.disk_reserve` (bytes). 0 switches all checks off. */
  readonly reserveBytes: () => number;
  /** Returns a monotonic time (ms). */
  readonly now: () => number;
}

/**
 * Keeps a part of a disk free for the master's own data. Writes of users that would use this part are refused before
 * they begin. The free space is not tracked over long times. Instead, the operating system's figure is read again and
 * again. Only recent writes are subtracted from it, because it may not include them yet
 * (docs/adr/0036-disk-reserve.md).
 */
export class DiskReserve {
  readonly #options: DiskReserveOptions;
  #measured: DiskSpace | null = null;
  #measuredAt = -Infinity;
  /**
   * Bytes of the writes in progress. Some of them may already be on the disk when it is measured. They then count
   * twice, so the free space is never overestimated.
   */
  #inProgress = 0;
  /** Bytes of the writes that have finished since the measurement. */
  #finished = 0;

  constructor(options: DiskReserveOptions) {
    this.#options = options;
  }

  /**
   * Returns the number of bytes that are reserved on a disk of the given size: the value of the setting, but at most
   * a quarter of the disk.
   */
  reservedBytes(totalBytes: number): number {
    return Math.min(this.#options.reserveBytes(), Math.floor(totalBytes * MAX_SHARE));
  }

  /**
   * Checks that `bytes` more bytes can be written. For a sparse file, `bytes` is the increase of its apparent size.
   *
   * @throws DiskReserveReached; errno errors if the disk cannot be measured
   */
  require(bytes: number): void {
    if (this.#options.reserveBytes() <= 0 || bytes <= 0) return;
    if (bytes < LARGE_BYTES && bytes <= this.#available()) return;
    this.#measure();
    if (bytes <= this.#available()) return;
    const { freeBytes, totalBytes } = this.#measured ?? NO_SPACE;
    throw new DiskReserveReached(
      `The master's disk has ${inMb(freeBytes)} free, of which ${inMb(this.reservedBytes(totalBytes))} are reserved for ` +
        `the master's own data. This needs ${inMb(bytes)}. Delete unneeded files, or use a larger disk.`,
    );
  }

  /**
   * Checks that one more file or folder can be created.
   *
   * @throws DiskReserveReached; errno errors if the disk cannot be measured
   */
  requireEntry(): void {
    if (this.#options.reserveBytes() <= 0) return;
    this.require(ENTRY_BYTES);
    if (this.#hasFreeFiles()) return;
    this.#measure();
    if (this.#hasFreeFiles()) return;
    throw new DiskReserveReached(
      `The master's disk has room for only ${this.#measured?.freeFiles ?? 0} more files, which stay reserved for the ` +
        `master's own data. Delete unneeded files.`,
    );
  }

  /**
   * Calls `work`, which writes `bytes` bytes, if this many bytes can be written.
   *
   * @returns the result of `work`
   * @throws DiskReserveReached before `work` is called; errors of `work`
   */
  async use<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    this.require(bytes);
    this.#inProgress += bytes;
    try {
      return await work();
    } finally {
      this.#inProgress -= bytes;
      this.#finished += bytes;
    }
  }

  #available(): number {
    const { freeBytes, totalBytes } = this.#current();
    return freeBytes - this.#inProgress - this.#finished - this.reservedBytes(totalBytes);
  }

  #hasFreeFiles(): boolean {
    const { freeFiles, totalFiles } = this.#current();
    return totalFiles === 0 || freeFiles > Math.min(RESERVED_FILES, totalFiles * MAX_SHARE);
  }

  #current(): DiskSpace {
    const fresh = this.#options.now() - this.#measuredAt <= MAX_AGE_MS;
    return fresh && this.#measured !== null ? this.#measured : this.#measure();
  }

  #measure(): DiskSpace {
    this.#measured = this.#options.measure();
    this.#measuredAt = this.#options.now();
    this.#finished = 0;
    return this.#measured;
  }
}

/** The part of {@link DiskReserve} that decides before each write whether there is enough space. */
export type WriteLimit = Pick<DiskReserve, 'require' | 'requireEntry' | 'use'>;

/**
 * Formats a number of bytes in MB of 2^20 bytes. Rounds up, so that a small need is not shown as 0.
 *
 * Example: `inMb(1_500_000)` → `1.5 MB`.
 */
function inMb(bytes: number): string {
  return `${Math.ceil((bytes / MB) * 10) / 10} MB`;
}

const NO_SPACE: DiskSpace = { freeBytes: 0, totalBytes: 0, freeFiles: 0, totalFiles: 0 };

/** Returns the setting `storage.disk_reserve` in bytes. */
export function reserveBytesOf({ storage }: Pick<MasterConfig, 'storage'>): number {
  return storage.disk_reserve * MB;
}

/**
 * The reserves of all disks. Folders on the same disk share one reserve, which therefore counts the writes of all of
 * them.
 */
export class DiskReserves {
  readonly #reserveBytes: () => number;
  readonly #byDevice = new Map<number, DiskReserve>();

  /** @param reserveBytes returns the setting `storage.disk_reserve` (bytes); 0 switches all checks off */
  constructor(reserveBytes: () => number) {
    this.#reserveBytes = reserveBytes;
  }

  /** Returns the reserve of the disk that contains an existing folder. Throws errno errors. */
  of(folder: string): DiskReserve {
    const { dev } = statSync(folder);
    const known = this.#byDevice.get(dev);
    if (known !== undefined) return known;
    const measure = (): DiskSpace => measureDisk(folder);
    const reserve = new DiskReserve({ measure, reserveBytes: this.#reserveBytes, now: preciseMs });
    this.#byDevice.set(dev, reserve);
    return reserve;
  }
}

/** Returns reserves that allow every write, for parts that run without a configuration. */
export function noReserves(): DiskReserves {
  return new DiskReserves(() => 0);
}

/**
 * Measures the disk that contains a folder. The call is synchronous, because the kernel has these figures in memory.
 *
 * @throws errno errors
 */
function measureDisk(folder: string): DiskSpace {
  const { bsize, bavail, blocks, ffree, files } = statfsSync(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, freeFiles: ffree, totalFiles: files };
}
