import { preciseMs } from '#shared/node/clock.ts';
import type { Pin, Pinned } from './pin.ts';
import type { ByteString } from './virtual-path.ts';

/** Most folders that are kept open between requests, for all sessions together. */
const MAX_KEPT = 64;

/** Folders that nobody asked for in this time are closed, at the latest after twice as long, ms. */
const IDLE_MS = 10_000;

/** A lookup that takes longer has waited for a disk, ms. */
const SLOW_MS = 2;

/** Lookups in a row that have to come back from the thread pool within {@link SLOW_MS} before the next is made on the spot. */
const QUICK_LOOKUPS = 4;

/** A folder that may be kept. */
export interface HeldFolder extends Pinned {
  /** To be called when the attributes of everything in it were read: the kernel has them in memory from then on. */
  listed(): void;
  /**
   * Looks something up in it: on the spot where the kernel has it in memory, else by way of the thread pool. The kernel is
   * taken to have it once the folder was listed, or a few lookups in a row came back from the pool at once; should the disk
   * be waited for after all, the pool is used again.
   */
  look<T>(now: () => T, later: () => Promise<T>): Promise<T>;
}

interface Kept {
  readonly pinned: Pinned;
  /** Quick lookups in a row; from {@link QUICK_LOOKUPS} on the kernel is taken to have names and attributes in memory. */
  quick: number;
  users: number;
  /** True when it was asked for since the last look. */
  used: boolean;
  /** True when it is to be closed by its last user. */
  dropped: boolean;
}

/**
 * Folders whose pins are kept for the next request: a client that goes through a folder asks for thousands of names in
 * it, and pinning the folder anew costs each of them a way to the thread pool and back.
 *
 * A kept pin is proven fresh each time, by the same question that a new one is proven with: the kernel says where the
 * open folder is now. Only where that is the very path that was asked for is it used; a folder that was moved, deleted
 * or replaced, and one that is reached through a link, is pinned anew.
 */
export class KeptPins {
  readonly #pin: Pin;
  /** The one used last stands last. */
  readonly #kept = new Map<ByteString, Kept>();
  /** The one that stands last. */
  #newest: Kept | null = null;
  #sweeps = false;

  constructor(pin: Pin) {
    this.#pin = pin;
  }

  /** Holds a folder fast, links followed. To be closed, as any pin. Throws errno errors. */
  async hold(path: ByteString): Promise<HeldFolder> {
    const known = this.#kept.get(path);
    if (known !== undefined) {
      if (known.pinned.locate?.() === path) return this.#lend(path, known);
      this.#drop(path, known);
    }
    const pinned = await this.#pin(path, true);
    // Where the system cannot say where a folder is now, or has come to it by a link, its freshness could not be proven.
    if (pinned.locate?.() !== path || this.#kept.has(path) || !pinned.stat().isDirectory()) {
      return { ...pinned, listed: () => undefined, look: (_now, later) => later() };
    }
    return this.#lend(path, { pinned, quick: 0, users: 0, used: true, dropped: false });
  }

  #lend(path: ByteString, kept: Kept): HeldFolder {
    kept.users += 1;
    kept.used = true;
    if (this.#newest !== kept) {
      this.#newest = kept;
      this.#kept.delete(path);
      this.#kept.set(path, kept);
      this.#makeRoom();
    }
    if (!this.#sweeps) this.#sweepLater();
    let closed = false;
    return {
      ...kept.pinned,
      listed: () => {
        kept.quick = QUICK_LOOKUPS;
      },
      look: async (now, later) => (kept.quick >= QUICK_LOOKUPS ? lookNow(kept, now) : lookLater(kept, later)),
      close: () => {
        if (closed) return;
        closed = true;
        kept.users -= 1;
        if (kept.dropped && kept.users === 0) kept.pinned.close();
      },
    };
  }

  #makeRoom(): void {
    for (const [path, kept] of this.#kept) {
      if (this.#kept.size <= MAX_KEPT) return;
      this.#drop(path, kept);
    }
  }

  #drop(path: ByteString, kept: Kept): void {
    this.#kept.delete(path);
    if (this.#newest === kept) this.#newest = null;
    kept.dropped = true;
    if (kept.users === 0) kept.pinned.close();
  }

  #sweep(): void {
    for (const [path, kept] of this.#kept) {
      if (!kept.used && kept.users === 0) this.#drop(path, kept);
      kept.used = false;
    }
    if (this.#kept.size > 0) this.#sweepLater();
    else this.#sweeps = false;
  }

  #sweepLater(): void {
    this.#sweeps = true;
    setTimeout(() => this.#sweep(), IDLE_MS).unref();
  }
}

function lookNow<T>(kept: Kept, now: () => T): T {
  const begun = preciseMs();
  try {
    return now();
  } finally {
    if (preciseMs() - begun > SLOW_MS) kept.quick = 0;
  }
}

async function lookLater<T>(kept: Kept, later: () => Promise<T>): Promise<T> {
  const begun = preciseMs();
  try {
    return await later();
  } finally {
    // Those that were under way when one was slow say nothing new: the count begins again after it.
    kept.quick = preciseMs() - begun > SLOW_MS ? 0 : kept.quick + 1;
  }
}
