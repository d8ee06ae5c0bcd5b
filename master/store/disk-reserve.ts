import { statfsSync, statSync } from 'node:fs';
import type { MasterConfig } from '#shared/config/master.ts';
import { preciseMs } from '#shared/node/clock.ts';

const MB = 2 ** 20;

/** Maximum age of a measurement on which a write relies (ms). Other programs use the same disk. */
const MAX_AGE_MS = 100;

/** Size from which a write is always checked by a new measurement (bytes). */
const LARGE_BYTES = 2 * MB;

/** Share of a disk that the reserve never exceeds, so that a small disk can still be used. */
const MAX_SHARE = 0.25;

/** Number of files and folders that can always still be created for the master's own data. */
const RESERVED_FILES = 10_000;

/** Space that creating a file or folder needs at least (bytes): one block of the usual size. */
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
  /** Measures the disk. It is called every {@link MAX_AGE_MS}, for large writes, and before each refusal. */
  readonly measure: () => DiskSpace;
  /** Returns the setting `storage.disk_reserve` (bytes). 0 switches all checks off. */
  readonly reserveBytes: () => number;
  /** Returns a monotonic time (ms). */
  readonly now: () => number;
}

/**
 * Keeps a part of a disk free for the master's own data: writes of users that would use it are refused before they
 * begin. Nothing is counted over time. The operating system's figure is read again, and only writes that it may not
 * contain yet are added (docs/adr/0036-disk-reserve.md).
 */
export class DiskReserve {
  readonly #options: DiskReserveOptions;
  #measured: DiskSpace | null = null;
  #measuredAt = -Infinity;
  /** Bytes of the writes in progress. The measurement may contain them already, so they are never undercounted. */
  #inProgress = 0;
  /** Bytes of the writes that have finished since the measurement. */
  #finished = 0;

  constructor(options: DiskReserveOptions) {
    this.#options = options;
  }

  /** Returns the number of bytes that stay free on a disk of the given size: the setting, at most a quarter. */
  reservedBytes(totalBytes: number): number {
    return Math.min(this.#options.reserveBytes(), Math.floor(totalBytes * MAX_SHARE));
  }

  /**
   * Checks that `bytes` more can be written. For a file with holes, `bytes` is how much its apparent size grows.
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
   * Writes `bytes` bytes with `work`, if they can be written.
   *
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

/** Decides before each write whether it fits. */
export type WriteLimit = Pick<DiskReserve, 'require' | 'requireEntry' | 'use'>;

/** Example: `inMb(1_500_000)` is `1.5 MB`, where 1 MB has 2^20 bytes. Rounds up, so that no need is shown as 0. */
function inMb(bytes: number): string {
  return `${Math.ceil((bytes / MB) * 10) / 10} MB`;
}

const NO_SPACE: DiskSpace = { freeBytes: 0, totalBytes: 0, freeFiles: 0, totalFiles: 0 };

/** Returns the setting `storage.disk_reserve` in bytes. */
export function reserveBytesOf({ storage }: Pick<MasterConfig, 'storage'>): number {
  return storage.disk_reserve * MB;
}

/** The reserves of all disks. Folders on the same disk share one, so that each knows the writes of the others. */
export class DiskReserves {
  readonly #reserveBytes: () => number;
  readonly #byDevice = new Map<number, DiskReserve>();

  /** @param reserveBytes returns the setting `storage.disk_reserve` (bytes); 0 switches all checks off */
  constructor(reserveBytes: () => number) {
    this.#reserveBytes = reserveBytes;
  }

  /** Returns the reserve of the disk of an existing folder. Throws errno errors. */
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

/** Returns disks without a reserve, for parts that run without a configuration. */
export function noReserves(): DiskReserves {
  return new DiskReserves(() => 0);
}

/**
 * Measures the disk of a folder. The call is synchronous, because the kernel has these figures in memory.
 *
 * @throws errno errors
 */
function measureDisk(folder: string): DiskSpace {
  const { bsize, bavail, blocks, ffree, files } = statfsSync(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, freeFiles: ffree, totalFiles: files };
}
