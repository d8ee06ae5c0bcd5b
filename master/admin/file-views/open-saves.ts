import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { SaveLease } from '#master/volumes/save-store.ts';
import type { Volume } from '#master/volumes/volume.ts';

/**
 * Maximum number of saves that are open at the same time, over all users. The manifest of an open save is in memory.
 */
const MAX_OPEN = 4;

/** Minimum time for which a save stays open after its last use (ms). The retention does not remove an open save. */
const IDLE_MS = 10_000;

interface OpenSave {
  readonly volume: Volume;
  readonly lease: Promise<SaveLease>;
  users: number;
  /** Whether the save was used since the last search for unused saves. */
  used: boolean;
}

/** The saves that are open for reading now. To open a save, its manifest is read, which may have 200,000 entries. */
export class OpenSaves {
  /** The open saves by volume and id, in the order of their last use. */
  readonly #open = new Map<string, OpenSave>();
  /** Called when an open save is no longer in use, so that another one can be opened. */
  #waiting: (() => void)[] = [];
  #sweeps = false;

  /** Number of saves that are open. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Opens a save if necessary, and calls `work` with it. Waits while {@link MAX_OPEN} other saves are in use, so
   * `work` must not use another save.
   *
   * @throws OverworldError SAVE_NOT_FOUND, VOLUME_UNREADABLE; whatever `work` throws
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
      // The next call tries again to open a save that could not be opened.
      if (this.#open.get(key) === one && (await isRejected(one.lease))) this.#open.delete(key);
      throw error;
    } finally {
      one.users -= 1;
      if (one.users === 0) this.#wake();
      this.#sweepLater();
    }
  }

  /** Returns an open save, and counts one more user of it. Null if too many other saves are open and in use. */
  #take(key: string, volume: Volume, save: string): OpenSave | null {
    const known = this.#open.get(key);
    // The volume may have been deleted, and a new volume may have got its number.
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

  /**
   * Returns whether one more save can be opened. Closes the save that was unused for the longest time if necessary.
   */
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
