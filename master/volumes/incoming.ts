import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '#master/templates/pinned-folder.ts';
import type { PersistentFile } from '#master/templates/revisions/manifest.ts';
import type { FileContent } from '#master/templates/revisions/take-in.ts';
import type { SaveLease } from './save-store.ts';

/** Prefix of the names of folders that receive the new contents of a save in progress. */
const INCOMING = 'incoming-';

/**
 * Creates a folder for the new contents of a save, and returns its path. The folder's name is unique, because another
 * master process may make a save of the same volume at the same time.
 */
export function makeIncoming(volume: string): Promise<string> {
  return mkdtemp(join(volume, INCOMING));
}

/**
 * The contents of a save in progress: those of an earlier save, which cannot be removed meanwhile, and the new ones
 * in a folder.
 */
export class IncomingSave {
  /** Folder for the new contents. Each is stored in it, under its hash. */
  readonly folder: string;
  readonly #base: SaveLease | null;
  /** Paths of the contents of the earlier save, by hash. */
  readonly #paths: ReadonlyMap<string, string>;

  private constructor(folder: string, base: SaveLease | null) {
    this.folder = folder;
    this.#base = base;
    this.#paths = new Map(base?.entries.map(({ hash, path }) => [hash, base.pathOf(path)]));
  }

  /**
   * Creates the folder.
   *
   * @param volume folder of the volume
   * @param open opens the newest save for reading. Resolves to null if there is none
   * @throws errno errors; errors of `open`
   */
  static async begin(volume: string, open: () => Promise<SaveLease | null>): Promise<IncomingSave> {
    const folder = await makeIncoming(volume);
    try {
      return new IncomingSave(folder, await open());
    } catch (error) {
      await removeTree(folder);
      throw error;
    }
  }

  /** Whether there is no earlier save. */
  get isFirst(): boolean {
    return this.#base === null;
  }

  /** Returns the files whose contents the earlier save does not have, each content once. */
  missing(files: readonly PersistentFile[]): PersistentFile[] {
    const unknown = files.filter(({ hash }) => !this.#paths.has(hash));
    return [...new Map(unknown.map((file) => [file.hash, file])).values()];
  }

  /** Returns the file with a content. */
  contentOf(hash: string): FileContent {
    const stored = this.#paths.get(hash);
    return { path: stored ?? join(this.folder, hash), inode: null, isFlushed: stored !== undefined };
  }

  /**
   * Call it before the new save is stored. While the earlier save is the newest one, it needs no protection, and the
   * retention may remove it once the new save is stored.
   *
   * @param newest id of the newest save
   */
  release(newest: string | null): void {
    if (this.#base?.save === newest) this.#base.release();
  }

  /** Must be called at the end. The contents cannot be used any more. */
  async end(): Promise<void> {
    this.#base?.release();
    await removeTree(this.folder);
  }
}

/** Name of a file in which a master that was killed has begun to write a new version of `volume.json`. */
const UNFINISHED = /^volume\.json\.\d+$/;

/**
 * Removes unfinished saves and documents that a killed master has left. Creates the volume's folder if it does not
 * exist.
 */
export async function removeIncoming(volume: string): Promise<void> {
  await mkdir(volume, { recursive: true, mode: 0o700 });
  for (const name of await readdir(volume))
    if (name.startsWith(INCOMING) || UNFINISHED.test(name)) await removeTree(join(volume, name));
}
