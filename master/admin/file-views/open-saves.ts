import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { SaveLease } from '#master/volumes/save-store.ts';
import type { Volume } from '#master/volumes/volume.ts';

/** Maximum number of saves whose manifests are in memory, over all users, including those that are in use. */
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
  /** Uses that wait until one of the open saves is no longer in use. */
  #waiting: (() => void)[] = [];
  #sweeps = false;

  /** Number of saves that are open. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Calls `work` with a save. Waits while as many others as may be open are in use, so `work` must not use another
   * one.
   *
   * @throws OverworldError SAVE_NOT_FOUND, VOLUME_UNREADABLE; what `work` throws
   */
  async use<T>(volume: Volume, save: string, work: (lease: SaveLease) => Promise<T> | T): Promise<T> {
    const key = `${volume.id}/${save}`;
    let one = this.#take(key, volume, save);
    while (one === null) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      one = this.#take(key, volume, save);
    }
    try {
      return await work(await one.lease);
    } catch (error) {
      // A save that cannot be opened is tried again.
      if (this.#open.get(key) === one && (await isRejected(one.lease))) this.#open.delete(key);
      throw error;
    } finally {
      one.users -= 1;
      if (one.users === 0) this.#wake();
      this.#sweepLater();
    }
  }

  /** Returns an open save, with one more user; null if it has to be opened and there is no room. */
  #take(key: string, volume: Volume, save: string): OpenSave | null {
    const known = this.#open.get(key);
    // Another volume may have got the same number.
    if (known !== undefined && known.volume !== volume) this.#close(key, known);
    const isOpen = known?.volume === volume;
    if (!isOpen && !this.#hasRoom()) return null;
    const one = isOpen ? known : this.#opened(volume, save);
    this.#open.delete(key);
    this.#open.set(key, one);
    one.users += 1;
    one.used = true;
    return one;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  #opened(volume: Volume, save: string): OpenSave {
    const lease = volume.lease(save).then((opened) => {
      if (opened === null) throw new OverworldError('SAVE_NOT_FOUND', { volume: volume.id, save });
      return opened;
    });
    return { volume, lease, users: 0, used: true };
  }

  /** Closes the save whose last use is longest ago, if necessary. Returns whether one more can be opened. */
  #hasRoom(): boolean {
    if (this.#open.size < MAX_OPEN) return true;
    const idle = [...this.#open].find(([, one]) => one.users === 0);
    if (idle !== undefined) this.#close(...idle);
    return idle !== undefined;
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
