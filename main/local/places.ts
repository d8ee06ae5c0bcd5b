import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { LocalPlace } from '#shared/ipc/contract.ts';
import { toLocalError } from '../transfers/remote/file-errors.ts';
import { requirePlainName } from '../transfers/remote/names.ts';

/** Time for which the resolved places are cached (ms), because one request may check thousands of paths. */
const KNOWN_FOR_MS = 1000;

/** Paths of the places, as displayed (`shown`) and with links resolved (`real`). */
interface Roots {
  readonly shown: readonly string[];
  readonly real: readonly string[];
  /** The closed folders with links resolved, as {@link folded} returns them. */
  readonly closed: readonly string[];
}

interface PlacesOptions {
  /** The home folder and its usual subfolders in display order, as far as they exist. */
  readonly usual: readonly { readonly name: string; readonly path: string }[];
  /** Folders that a person added. */
  readonly added: () => readonly string[];
  readonly saveAdded: (paths: string[]) => Promise<void>;
  /** Paths that the window may not access, even in a place: this app's own data, and keys. They need not exist. */
  readonly closed: readonly string[];
}

/**
 * The folders of this computer that the window may access, and the check that every local path passes. The window
 * shows data of a master, so it must not reach more of this computer than a person has allowed.
 */
export class LocalPlaces {
  readonly #options: PlacesOptions;
  #known: { readonly at: number; readonly roots: Promise<Roots> } | null = null;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** Returns the places that exist now, each path once. */
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

  /** Removes an added place; the folder itself stays. Does nothing if the folder was not added. */
  async remove(path: string): Promise<void> {
    const folder = resolve(path);
    await this.#save(this.#options.added().filter((added) => added !== folder));
  }

  /**
   * Returns the real path of an existing entry, with links resolved.
   *
   * @throws OverworldError PLACE_FORBIDDEN if the path or its real path is outside of the places; FILE_FORBIDDEN if
   *   it is in a closed folder; LOCAL_FILE_UNREADABLE
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
   * Like {@link require}, for an entry whose whole content is copied or compared. Also refuses a folder that contains
   * a closed folder.
   *
   * @throws OverworldError as {@link require}
   */
  async requireWhole(path: string): Promise<string> {
    return this.#requireOpen(await this.require(path));
  }

  /**
   * Returns the real path of a folder in which entries with these names will be created or filled.
   *
   * @throws OverworldError as {@link require}
   */
  async requireTarget(folder: string, names: readonly string[]): Promise<string> {
    const real = await this.require(folder);
    for (const name of names) await this.#requireOpen(join(real, name));
    return real;
  }

  /**
   * Returns the real path of an entry's folder, followed by the entry's own name. If the entry is a link, the link is
   * not followed. The entry may be missing. Used to create, rename and delete.
   *
   * @throws OverworldError PLACE_FORBIDDEN, FILE_FORBIDDEN, FILE_NAME_INVALID, LOCAL_FILE_UNREADABLE
   */
  async requireEntry(path: string): Promise<string> {
    const given = await this.#requireText(path);
    // The parent folder must be in a place. So a place itself is refused, unless another place contains it.
    return this.#requireOpen(join(await this.require(dirname(given)), requirePlainName(basename(given))));
  }

  /** Returns the parent folder of a path. Null if the parent is not in a place. */
  async parentOf(path: string): Promise<string | null> {
    const parent = dirname(resolve(path));
    if (parent === resolve(path)) return null;
    return isInside(parent, (await this.#roots()).shown) ? parent : null;
  }

  /**
   * Refuses closed folders, their content, and folders that contain a closed folder. A rename of such a parent folder
   * would make the closed folder accessible.
   */
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
  const why = 'it contains keys or data of this app. Use the file manager of this computer for it';
  return new OverworldError('FILE_FORBIDDEN', { path, why });
}

/**
 * Normalizes case and Unicode composition of a path. On disks that ignore both, a closed folder has several
 * spellings, and `realpath` does not unify them on every system. On other disks, this closes a few more names than
 * necessary.
 */
function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Returns whether a path is one of the folders or below one of them. */
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
    // A missing or inaccessible place, such as an unplugged drive, is ignored for the moment.
    return false;
  }
}
