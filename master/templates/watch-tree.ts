import { lstatSync, watch, type FSWatcher } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** What is watched, and who is told. */
export interface TreeWatchOptions {
  /**
   * Called with the path of whatever was made, changed or removed below the root, links not followed. A path may be told more
   * than once. Must not throw.
   *
   * @param isNewFolder true for a folder that was made or moved to this path
   */
  readonly touched: (path: string, isNewFolder: boolean) => void;
  /** Called when the system cannot watch a part of the tree, as no watches are left. May be called often. Must not throw. */
  readonly failed: (error: unknown) => void;
  /** Tells which names to leave out, with all that is in them. Absent: none. */
  readonly ignored?: (name: string) => boolean;
}

/** Systems that watch a whole tree by themselves; Linux watches each folder by its own. */
const WATCHES_TREES = process.platform === 'darwin' || process.platform === 'win32';

/** Folders that vanish while they are looked at, and those that the master may not read, are not watched. */
const NOT_WATCHED = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM']);

/**
 * Watches a folder and all folders in it. Resolves when all that stands there is watched.
 *
 * A change costs one event and, where a name comes or goes, one `lstat` of that name, which the kernel has in memory: how many
 * files stand beside it makes no difference (ADR 0027).
 *
 * @returns ends the watching
 */
export async function watchTree(root: string, options: TreeWatchOptions): Promise<{ close(): void }> {
  const folder = new WatchedFolder(root, options);
  await folder.enterAll();
  return folder;
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

  /** Watches all folders in this one, with what is in them. */
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

  close(): void {
    this.#closed = true;
    this.#watcher?.close();
    for (const folder of this.#folders.values()) folder.close();
    this.#folders.clear();
  }

  #onEvent(event: string, name: string): void {
    if (this.#closed || this.#isIgnored(name)) return;
    const path = join(this.#path, name);
    // Only a name that comes or goes can be a folder that is to be watched or not to be watched any more.
    const isNewFolder = event === 'rename' && isFolder(path);
    this.#options.touched(path, isNewFolder);
    if (event !== 'rename' || WATCHES_TREES) return;
    this.#leave(name);
    if (!isNewFolder) return;
    // What was made in it before it was watched is told of by telling of the folder.
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
