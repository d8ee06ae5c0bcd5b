import { lstatSync, watch, type FSWatcher } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { eventBursts } from './event-bursts.ts';

/** Callbacks of {@link watchTree}, and the names that it ignores. */
export interface TreeWatchOptions {
  /**
   * Called with the path of everything that is created, changed or removed below the root. Links are not followed.
   * A change may be reported more than once. Must not throw.
   *
   * @param isNewFolder whether a folder was created at or moved to this path. After a burst of events, it is true for
   *   every folder, because events may be missing.
   */
  readonly touched: (path: string, isNewFolder: boolean) => void;
  /**
   * Called if a part of the tree cannot be watched, for example because the system's number of watches is used up.
   * May be called often. Must not throw.
   */
  readonly failed: (error: unknown) => void;
  /** Returns whether a name is ignored, with everything below it. If the option is missing, nothing is ignored. */
  readonly ignored?: (name: string) => boolean;
}

/** Whether the system watches a whole tree with one call; Linux needs a watch for each folder. */
const WATCHES_TREES = process.platform === 'darwin' || process.platform === 'win32';

/** Error codes of folders that have vanished or that the master may not read; such folders are not watched. */
const NOT_WATCHED = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM']);

/**
 * Watches a folder and all folders in it. Resolves when everything that exists is watched.
 *
 * A change causes one event. If a name appears or disappears, it also causes one `lstat` of that name, which the
 * kernel answers from memory. The cost does not depend on the number of other files in the folder (ADR 0027).
 *
 * @returns a function that closes the watches
 */
export async function watchTree(root: string, options: TreeWatchOptions): Promise<{ close(): void }> {
  const folder = new WatchedFolder(root, options);
  await folder.enterAll();
  const stop = eventBursts.onEnd(() => void folder.rewatchAll());
  return {
    close: () => {
      stop();
      folder.close();
    },
  };
}

class WatchedFolder {
  readonly #path: string;
  readonly #options: TreeWatchOptions;
  readonly #folders = new Map<string, WatchedFolder>();
  #watcher: FSWatcher | null = null;
  #closed = false;

  constructor(path: string, options: TreeWatchOptions) {
    this.#path = path;
    this.#options = options;
    try {
      this.#watcher = watch(path, { recursive: WATCHES_TREES });
      this.#watcher.on('change', (event, name) => this.#onEvent(event, String(name)));
      this.#watcher.on('error', (error) => this.#onError(error));
    } catch (error) {
      this.#onError(error);
    }
  }

  /** Watches all subfolders, recursively. */
  async enterAll(): Promise<void> {
    if (WATCHES_TREES) return;
    try {
      for (const entry of await readdir(this.#path, { withFileTypes: true })) {
        if (entry.isDirectory() && !this.#isIgnored(entry.name)) await this.#enter(entry.name);
      }
    } catch (error) {
      this.#onError(error);
    }
  }

  /**
   * Watches all subfolders anew, and reports all folders as new ones. Used if events may be missing: a folder may have
   * been created, changed or replaced without an event.
   */
  async rewatchAll(): Promise<void> {
    for (const name of [...this.#folders.keys()]) this.#leave(name);
    await this.enterAll();
    if (!this.#closed) this.#reportAll();
  }

  close(): void {
    this.#closed = true;
    this.#watcher?.close();
    for (const folder of this.#folders.values()) folder.close();
    this.#folders.clear();
  }

  #onEvent(event: string, name: string): void {
    eventBursts.count();
    if (this.#closed || this.#isIgnored(name)) return;
    const path = join(this.#path, name);
    // Only a name that appears or disappears can belong to a new or removed folder.
    const isNewFolder = event === 'rename' && isFolder(path);
    this.#options.touched(path, isNewFolder);
    if (event !== 'rename' || WATCHES_TREES) return;
    this.#leave(name);
    if (!isNewFolder) return;
    // The folder is reported again, because files may have been created in it before it was watched.
    void this.#enter(name).then(() => {
      if (!this.#closed) this.#options.touched(path, false);
    });
  }

  async #enter(name: string): Promise<void> {
    if (this.#closed || this.#folders.has(name)) return;
    const folder = new WatchedFolder(join(this.#path, name), this.#options);
    this.#folders.set(name, folder);
    await folder.enterAll();
  }

  #reportAll(): void {
    this.#options.touched(this.#path, true);
    for (const folder of this.#folders.values()) folder.#reportAll();
  }

  #leave(name: string): void {
    this.#folders.get(name)?.close();
    this.#folders.delete(name);
  }

  #isIgnored(path: string): boolean {
    const { ignored } = this.#options;
    return ignored !== undefined && path.split(sep).some((name) => ignored(name));
  }

  #onError(error: unknown): void {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!this.#closed && !NOT_WATCHED.has(code)) this.#options.failed(error);
  }
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
