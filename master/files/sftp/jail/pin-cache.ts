import type { Pin, Pinned } from './pin.ts';
import { PoolBypass } from './pool-bypass.ts';
import type { ByteString } from '../protocol/virtual-path.ts';

/** Maximum number of folders that stay open between requests, over all sessions. */
const MAX_KEPT = 64;

/** Time after which an unused folder may be closed (ms). It is closed after twice this time at the latest. */
const IDLE_MS = 10_000;

/** A pinned folder that may stay open for later requests. */
export interface CachedFolder extends Pinned {
  /** Must be called when the attributes of all entries have been read. The kernel then has them in memory. */
  listed(): void;
  /**
   * Makes a system call that looks up names in the folder, such as `lstat`. Calls `now` (synchronous) if the kernel
   * presumably has the folder in memory; otherwise calls `later` (thread pool). The kernel presumably has it in
   * memory after it was listed, or after a few consecutive fast lookups. A slow lookup switches back to the thread
   * pool.
   */
  look<T>(now: () => T, later: () => Promise<T>): Promise<T>;
}

interface CachedPin {
  readonly pinned: Pinned;
  readonly lookups: PoolBypass;
  users: number;
  /** Whether the folder was used since the last search for unused folders. */
  used: boolean;
  /** Whether the cache has dropped the folder while it was in use. Its last user then closes it. */
  dropped: boolean;
}

/**
 * Cache of pinned folders. A client that reads a folder looks up thousands of names in it. Without the cache, each
 * name would need a call in the thread pool to pin the folder.
 *
 * The path of a cached folder is checked on each use: the kernel returns the current path of the open folder, and the
 * cached folder is used only if this is the requested path. Otherwise the requested path is pinned again, for example
 * if the folder was moved, deleted or replaced, or if the path contains a link.
 */
export class PinCache {
  readonly #pin: Pin;
  /** Cached folders in the order of their last use; the most recently used folder is last. */
  readonly #kept = new Map<ByteString, CachedPin>();
  /** The last entry of {@link #kept}. */
  #newest: CachedPin | null = null;
  #sweeps = false;

  constructor(pin: Pin) {
    this.#pin = pin;
  }

  /** Pins a folder. Follows links. The caller must close the folder. Throws errno errors. */
  async hold(path: ByteString): Promise<CachedFolder> {
    const known = this.#kept.get(path);
    if (known !== undefined) {
      if (known.pinned.locate?.() === path) return this.#lend(path, known);
      this.#drop(path, known);
    }
    const pinned = await this.#pin(path, true);
    // Caches only a folder that can be checked on later use. This is impossible if the system does not return the
    // folder's current path, or if the requested path contains a link.
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
    const { pinned } = kept;
    let closed = false;
    // Listed one by one, because V8 copies an object with functions much more slowly.
    return {
      path: pinned.path,
      real: pinned.real,
      locate: pinned.locate,
      stat: () => pinned.stat(),
      openFlags: pinned.openFlags,
      listed: () => kept.lookups.trust(),
      look: (now, later) => kept.lookups.run(now, later),
      close: () => {
        if (closed) return;
        closed = true;
        kept.users -= 1;
        if (kept.dropped && kept.users === 0) pinned.close();
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
