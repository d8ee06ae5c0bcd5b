import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { LocalPlace } from '#shared/ipc/contract.ts';
import { toLocalError } from '../transfers/remote/file-errors.ts';
import { requirePlainName } from '../transfers/remote/names.ts';

/** The places are looked up again after this time, in ms: thousands of paths of one request are checked against one look. */
const KNOWN_FOR_MS = 1000;

/** Paths of the places, as they are shown and with links followed. */
interface Roots {
  readonly shown: readonly string[];
  readonly real: readonly string[];
  /** The closed folders, links followed, as {@link folded}. */
  readonly closed: readonly string[];
}

interface PlacesOptions {
  /** The home folder and its usual ones, in the order they are shown; those that do not exist are left out. */
  readonly usual: readonly { readonly name: string; readonly path: string }[];
  /** Those that a person added. */
  readonly added: () => readonly string[];
  readonly saveAdded: (paths: string[]) => Promise<void>;
  /** Closed to the window wherever they lie: this app's own data, and keys. They need not exist. */
  readonly closed: readonly string[];
}

/**
 * The folders of this computer that the window may look into, and the check that every local path passes. The window
 * shows what the master sends, so it must not be able to reach more of this computer than a person has given to it.
 */
export class Places {
  readonly #options: PlacesOptions;
  #known: { readonly at: number; readonly roots: Promise<Roots> } | null = null;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** The places that are there now, each path once. */
  async list(): Promise<LocalPlace[]> {
    const all = [
      ...this.#options.usual.map(({ name, path }) => ({ name, path: resolve(path), added: false })),
      ...this.#options.added().map((path) => ({ name: basename(path) || path, path, added: true })),
    ];
    const seen = new Set<string>();
    const places: LocalPlace[] = [];
    for (const place of all) {
      if (seen.has(place.path) || !(await isFolder(place.path))) continue;
      seen.add(place.path);
      places.push(place);
    }
    return places;
  }

  /** Adds a folder that a person chose in the system's dialog. */
  async add(path: string): Promise<LocalPlace> {
    const folder = resolve(path);
    const known = (await this.list()).find((place) => place.path === folder);
    if (known !== undefined) return known;
    await this.#save([...this.#options.added(), folder]);
    return { name: basename(folder) || folder, path: folder, added: true };
  }

  /** Takes an added one away; the folder itself stays. Fine when it is none. */
  async remove(path: string): Promise<void> {
    const folder = resolve(path);
    await this.#save(this.#options.added().filter((added) => added !== folder));
  }

  /**
   * The real path of something that exists, links followed.
   *
   * @throws OverworldError PLACE_FORBIDDEN when it is outside of the places, also by a link; FILE_FORBIDDEN inside of a
   *   closed folder; LOCAL_FILE_UNREADABLE
   */
  async require(path: string): Promise<string> {
    const given = await this.#requireText(path);
    const real = await realpath(given).catch((error: unknown) => {
      throw toLocalError(error, given);
    });
    if (!isInside(real, (await this.#roots()).real))
      throw new OverworldError('PLACE_FORBIDDEN', { path: given });
    if (isInside(folded(real), (await this.#roots()).closed)) throw closedTo(given);
    return real;
  }

  /**
   * As {@link require}, for what is copied or compared with all that is in it: no closed folder may be among that.
   *
   * @throws OverworldError as {@link require}
   */
  async requireWhole(path: string): Promise<string> {
    return this.#requireOpen(await this.require(path));
  }

  /**
   * The real path of a folder in which entries of these names are made, or filled where they exist.
   *
   * @throws OverworldError as {@link require}
   */
  async requireTarget(folder: string, names: readonly string[]): Promise<string> {
    const real = await this.require(folder);
    for (const name of names) await this.#requireOpen(join(real, name));
    return real;
  }

  /**
   * The path of an entry itself, which may be missing or a link: its folder's real path and its name. For making,
   * renaming, and deleting.
   *
   * @throws OverworldError PLACE_FORBIDDEN, FILE_FORBIDDEN, FILE_NAME_INVALID, LOCAL_FILE_UNREADABLE
   */
  async requireEntry(path: string): Promise<string> {
    const given = await this.#requireText(path);
    // The place itself is not an entry of a place, unless another one holds it.
    return this.#requireOpen(join(await this.require(dirname(given)), requirePlainName(basename(given))));
  }

  /** Folder of a path, when it is in a place too; null at the top. */
  async parentOf(path: string): Promise<string | null> {
    const parent = dirname(resolve(path));
    if (parent === resolve(path)) return null;
    return isInside(parent, (await this.#roots()).shown) ? parent : null;
  }

  /** Neither a closed folder, nor in one, nor around one: with a new name it would not be closed any more. */
  async #requireOpen(path: string): Promise<string> {
    const { closed } = await this.#roots();
    const real = folded(await realpath(path).catch(() => path));
    if (isInside(real, closed) || closed.some((folder) => isInside(folder, [real]))) throw closedTo(path);
    return path;
  }

  async #requireText(path: string): Promise<string> {
    if (!isAbsolute(path) || path.includes('\0')) throw new OverworldError('PLACE_FORBIDDEN', { path });
    const given = resolve(path);
    if (!isInside(given, (await this.#roots()).shown))
      throw new OverworldError('PLACE_FORBIDDEN', { path: given });
    return given;
  }

  async #save(added: string[]): Promise<void> {
    this.#known = null;
    await this.#options.saveAdded(added);
    this.#known = null;
  }

  #roots(): Promise<Roots> {
    const now = Date.now();
    if (this.#known === null || now - this.#known.at > KNOWN_FOR_MS) {
      this.#known = { at: now, roots: this.#lookUp() };
    }
    return this.#known.roots;
  }

  async #lookUp(): Promise<Roots> {
    const shown = (await this.list()).map(({ path }) => path);
    const follow = (paths: readonly string[]) =>
      Promise.all(paths.map((path) => realpath(path).catch(() => resolve(path))));
    const closed = (await follow(this.#options.closed)).map(folded);
    return { shown, real: await follow(shown), closed };
  }
}

function closedTo(path: string): OverworldError {
  const why = 'it holds keys or what this app keeps for itself; use the file manager of this computer for it';
  return new OverworldError('FILE_FORBIDDEN', { path, why });
}

/**
 * A path as disks see it that ignore case and how letters are composed: on these the closed folders have other spellings,
 * which not every system's `realpath` brings back to the one. On other disks a few names more are closed.
 */
function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** True when a path is one of the folders or below one. */
function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const way = relative(folder, path);
    return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
  });
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // A place that is gone or cannot be looked at (a drive that was pulled out) is no place at the moment.
    return false;
  }
}
