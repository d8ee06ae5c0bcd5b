import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { SaveLease } from '#master/volumes/save-store.ts';
import type { Volume } from '#master/volumes/volume.ts';

/** Maximum number of saves whose manifests stay in memory, over all users. */
const MAX_OPEN = 4;

/** Time after which a save that is not used is closed (ms). Until then, the retention does not remove it. */
const IDLE_MS = 10_000;

interface OpenSave {
  readonly volume: Volume;
  readonly lease: Promise<SaveLease>;
  users: number;
  /** Whether it was used since the last sweep. */
  used: boolean;
}

/** Saves that are open for reading. Opening one reads its manifest, which may have 200,000 entries. */
export class OpenSaves {
  /** By volume and id, in the order of their last use. */
  readonly #open = new Map<string, OpenSave>();
  #sweeps = false;

  /** Number of saves that are open. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Calls `work` with a save.
   *
   * @throws OverworldError SAVE_NOT_FOUND, VOLUME_UNREADABLE; what `work` throws
   */
  async use<T>(volume: Volume, save: string, work: (lease: SaveLease) => Promise<T> | T): Promise<T> {
    const key = `${volume.id}/${save}`;
    const known = this.#open.get(key);
    // Another volume may have got the same number.
    const one = known?.volume === volume ? known : this.#opened(volume, save);
    if (known !== undefined && known !== one) this.#close(key, known);
    this.#open.delete(key);
    this.#open.set(key, one);
    one.users += 1;
    one.used = true;
    try {
      return await work(await one.lease);
    } catch (error) {
      // A save that cannot be opened is tried again.
      if (this.#open.get(key) === one && (await isRejected(one.lease))) this.#open.delete(key);
      throw error;
    } finally {
      one.users -= 1;
      this.#makeRoom();
      this.#sweepLater();
    }
  }

  #opened(volume: Volume, save: string): OpenSave {
    const lease = volume.lease(save).then((opened) => {
      if (opened === null) throw new OverworldError('SAVE_NOT_FOUND', { volume: volume.id, save });
      return opened;
    });
    return { volume, lease, users: 0, used: true };
  }

  #makeRoom(): void {
    for (const [key, one] of this.#open) {
      if (this.#open.size <= MAX_OPEN) return;
      if (one.users === 0) this.#close(key, one);
    }
  }

  #sweepLater(): void {
    if (this.#sweeps || this.#open.size === 0) return;
    this.#sweeps = true;
    setTimeout(() => {
      this.#sweeps = false;
      for (const [key, one] of this.#open) {
        if (one.users === 0 && !one.used) this.#close(key, one);
        one.used = false;
      }
      this.#sweepLater();
    }, IDLE_MS).unref();
  }

  #close(key: string, { lease }: OpenSave): void {
    this.#open.delete(key);
    void lease.then(
      (opened) => opened.release(),
      () => undefined,
    );
  }
}

function isRejected(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => false,
    () => true,
  );
}
