import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MasterConfig } from '#shared/config/master.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { VolumeId } from '#shared/model/volume.ts';
import type { DiskReserve, WriteLimit } from '#master/store/disk-reserve.ts';
import { serialQueue } from '#master/store/serial.ts';
import { inExactFolder } from '#master/templates/pinned-folder.ts';
import type { CopyPlace } from './copy-place.ts';
import type { QuotaClaim } from '../quota.ts';

const MB = 2 ** 20;

interface CopyLimitOptions {
  readonly id: VolumeId;
  readonly place: CopyPlace;
  readonly reserve: DiskReserve;
  /** Returns the settings `volumes.quota` of the master configuration. */
  readonly quota: () => MasterConfig['volumes']['quota'];
  /** Space that the copy adds to the saves. */
  readonly claim: QuotaClaim;
}

/**
 * Checks each write to a working copy before it happens: the write must stay within the quotas of the volumes and
 * leave the reserve of the disk free.
 */
export class CopyLimit implements WriteLimit {
  readonly #options: CopyLimitOptions;
  readonly #checks = serialQueue();
  /**
   * Size of the copy (bytes). May be too high, because overwritten and deleted bytes are only noticed when the copy
   * is measured again. Null if unknown.
   */
  #bytes: number | null = null;
  /** Whether {@link #bytes} is the exact size of the copy. */
  #exact = false;
  /** Bytes written since the copy was made. */
  #written = 0;

  constructor(options: CopyLimitOptions) {
    this.#options = options;
  }

  /** Resets the counts, for a copy that was just made, found or removed. */
  reset(): void {
    this.#bytes = null;
    this.#written = 0;
    this.#options.claim.set(0);
  }

  /**
   * Call this after files may have been deleted or replaced. The copy is then measured again before a write is
   * refused.
   */
  changed(): void {
    this.#exact = false;
  }

  require(bytes: number): void {
    this.#options.reserve.require(bytes);
  }

  requireEntry(): void {
    this.#options.reserve.requireEntry();
  }

  /**
   * Calls `work`, which writes `bytes` bytes, if the quotas and the reserve allow it.
   *
   * @returns the result of `work`
   * @throws OverworldError VOLUME_FULL; DiskReserveReached. Both are thrown before `work` is called. Errors of `work`
   */
  async use<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (bytes > 0) await this.#checks(() => this.#requireQuota(bytes));
    return this.#options.reserve.use(bytes, work);
  }

  async #requireQuota(bytes: number): Promise<void> {
    const { quota, claim, place } = this.#options;
    const { perVolume, total } = quota();
    if (perVolume !== -1) {
      if (this.#bytes === null || (!this.#exact && this.#bytes + bytes > perVolume * MB)) {
        this.#bytes = await place.use((folder) => inExactFolder(folder, '', sizeOf));
        this.#exact = true;
      }
      this.#refuse('volumes.quota.perVolume', this.#bytes + bytes, perVolume);
      this.#bytes += bytes;
      this.#exact = false;
    }
    const written = this.#written + bytes;
    if (total === -1) claim.set(written);
    else await claim.claim(written, (taken) => this.#refuse('volumes.quota.total', taken, total));
    this.#written = written;
  }

  #refuse(setting: string, bytes: number, limitMb: number): void {
    const needsMb = Math.ceil(bytes / MB);
    if (needsMb > limitMb)
      throw new OverworldError('VOLUME_FULL', { volume: this.#options.id, setting, needsMb, limitMb });
  }
}

/** Returns the size of all files in a folder (bytes). */
async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    // Another request may have removed the file in the meantime.
    const found = await lstat(join(entry.parentPath, entry.name)).catch(() => null);
    bytes += found?.size ?? 0;
  }
  return bytes;
}
