import type { RevisionRecord } from '#master/templates/revisions/revision-record.ts';
import { modifiedAtMs } from '#master/templates/revisions/scan-folder.ts';

/** The files of a save, and its empty folders, sorted by path. */
type SaveEntries = RevisionRecord['entries'];

/** A file of a save. */
export interface SavedFile {
  /** Path in the save. */
  readonly path: string;
  /** Size (bytes). */
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  /** Time of the last modification (ms since epoch). */
  readonly modifiedAtMs: number;
}

/**
 * A name in a folder of a save. Only empty folders have an entry of their own in a save; other folders follow from
 * the paths of their files.
 */
export interface SavedName {
  readonly name: string;
  /** The file with this name; null if the name belongs to a folder. */
  readonly file: SavedFile | null;
}

/** A name in a folder of a save, and the position at which the list of names continues. */
export interface ListedName extends SavedName {
  /** Index of the entry at which the list continues. */
  readonly next: number;
}

/**
 * Finds a path in a save, by binary search.
 *
 * @param path relative to the service's folder; the empty path is this folder itself
 * @returns `folder`, a file, or undefined if nothing exists at the path
 */
export function findIn(entries: SaveEntries, path: string): SavedFile | 'folder' | undefined {
  if (path === '') return 'folder';
  const found = entries[lowerBound(entries, path)];
  if (found?.path === path) return toFile(found);
  const below = entries[lowerBound(entries, `${path}/`)];
  return below?.path.startsWith(`${path}/`) === true ? 'folder' : undefined;
}

/**
 * Yields the names of the files and folders in a folder of a save, sorted. Names in its subfolders are not included:
 * each subfolder is skipped by binary search. Yields nothing if the folder is empty or does not exist.
 *
 * @param from where to continue: the field `next` of the last name of an earlier call. By default, the list starts
 *   with the first name
 */
export function* namesIn(entries: SaveEntries, folder: string, from?: number): Generator<ListedName> {
  const prefix = folder === '' ? '' : `${folder}/`;
  for (let at = from ?? lowerBound(entries, prefix); at < entries.length;) {
    const file = entries[at];
    if (file?.path.startsWith(prefix) !== true) return;
    const rest = file.path.slice(prefix.length);
    const cut = rest.indexOf('/');
    const name = cut === -1 ? rest : rest.slice(0, cut);
    at = cut === -1 ? at + 1 : lowerBound(entries, `${prefix}${name}${AFTER_SLASH}`);
    // The entry of an empty folder itself has an empty name here, and is skipped.
    if (name !== '') yield { name, file: cut === -1 ? toFile(file) : null, next: at };
  }
}

function toFile({ path, size, mode, stamp }: SaveEntries[number]): SavedFile {
  return { path, size, mode, modifiedAtMs: modifiedAtMs(stamp) };
}

/**
 * The character after `/`. The path of a folder with this character at its end sorts after all paths in the folder.
 */
const AFTER_SLASH = '0';

/** Returns the index of the first entry whose path is not less than the given one. */
function lowerBound(entries: SaveEntries, path: string): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.path ?? '') < path) low = middle + 1;
    else high = middle;
  }
  return low;
}
