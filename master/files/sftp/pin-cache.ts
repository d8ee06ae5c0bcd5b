import type { Pin, Pinned } from './pin.ts';
import { PoolBypass } from './pool-bypass.ts';
import type { ByteString } from './virtual-path.ts';

/** Maximum number of folders kept open between requests, over all sessions. */
const MAX_KEPT = 64;

/** Time after which an unused folder is closed (ms). It may stay open up to twice as long. */
const IDLE_MS = 10_000;

/** Pinned folder that may stay open for later requests. */
export interface CachedFolder extends Pinned {
  /** Reports that the attributes of all entries were read. The kernel has them in memory from then on. */
  listed(): void;
  /**
   * Looks up something in the folder: with `now` (synchronous) if the kernel presumably has the folder in memory,
   * otherwise with `later` (thread pool). The folder is presumed to be in memory after it was listed, or after a
   * few consecutive fast lookups. A slow lookup switches back to the thread pool.
   */
  look<T>(now: () => T, later: () => Promise<T>): Promise<T>;
}

interface CachedPin {
  readonly pinned: Pinned;
  readonly lookups: PoolBypass;
  users: number;
  /** Whether the folder was used since the last sweep. */
  used: boolean;
  /** Whether the last user closes the pin. */
  dropped: boolean;
}

/**
 * Cache of pinned folders. A client that walks through a folder looks up thousands of names in it, and pinning the
 * folder for each of them would cost a round trip to the thread pool.
 *
 * A cached pin is verified on each use, in the same way as a new one: the kernel reports the current path of the
 * open folder. It is reused only if that path equals the requested path. A folder that was moved, deleted or
 * replaced, or that is reached through a link, is pinned again.
 */
export class PinCache {
  readonly #pin: Pin;
  /** In order of last use; the most recently used entry is last. */
  readonly #kept = new Map<ByteString, CachedPin>();
  /** The last entry of {@link #kept}. */
  #newest: CachedPin | null = null;
  #sweeps = false;

  constructor(pin: Pin) {
    this.#pin = pin;
  }

  /** Pins a folder, following links. The caller must close it like any pin. Throws errno errors. */
  async hold(path: ByteString): Promise<CachedFolder> {
    const known = this.#kept.get(path);
    if (known !== undefined) {
      if (known.pinned.locate?.() === path) return this.#lend(path, known);
      this.#drop(path, known);
    }
    const pinned = await this.#pin(path, true);
    // Without the current path of the folder, or if a link leads to it, a cached pin could not be verified later.
    if (pinned.locate?.() !== path || this.#kept.has(path) || !pinned.stat().isDirectory()) {
      return { ...pinned, listed: () => undefined, look: (_now, later) => later() };
    }
    return this.#lend(path, { pinned, lookups: new PoolBypass(), users: 0, used: true, dropped: false });
  }

  #lend(path: ByteString, kept: CachedPin): CachedFolder {
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
      listed: () => kept.lookups.trust(),
      look: (now, later) => kept.lookups.run(now, later),
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

  #drop(path: ByteString, kept: CachedPin): void {
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
