import { isAbsolute, relative, sep } from 'node:path';

/** Why a person must confirm a write to a path of this computer. Null if no confirmation is needed. */
export type WriteReason = 'hidden' | 'elsewhere' | null;

/** Folders that determine whether a write must be confirmed. */
export interface WriteRoots {
  /** Folders that may be written to without asking. */
  readonly free: readonly string[];
  /** Folders that the window may access. */
  readonly places: readonly string[];
}

/**
 * Returns why a person must confirm a write to a path in a dialog of the system. Null if no confirmation is needed.
 *
 * - `elsewhere`: the path is in none of the folders that may be written to without asking.
 * - `hidden`: a name in the path begins with a dot. If the path is in a folder that may be written to without asking,
 *   only the names below the deepest such folder count. Otherwise, only the names below the deepest of `places`
 *   count. Many hidden files are run, or configure what is run (`.bashrc`, `.config/autostart`,
 *   `.git/hooks`).
 *
 * Pure. Paths are absolute with links resolved.
 */
export function writeReason(path: string, { free, places }: WriteRoots): WriteReason {
  const root = deepest(path, free);
  if (isHidden(path, root ?? deepest(path, places))) return 'hidden';
  return root === null ? 'elsewhere' : null;
}

/**
 * Returns whether one of the names below `root` begins with a dot. If `root` is null, examines all names of the path.
 */
function isHidden(path: string, root: string | null): boolean {
  const way = root === null ? path : relative(root, path);
  return way.split(sep).some((name) => name.startsWith('.'));
}

/** Returns the deepest of the folders that contain the path or are equal to it. Null if there is no such folder. */
function deepest(path: string, folders: readonly string[]): string | null {
  let found: string | null = null;
  for (const folder of folders) {
    if (holds(folder, path) && folder.length > (found?.length ?? -1)) found = folder;
  }
  return found;
}

/**
 * Returns whether a path is the folder or is below it.
 *
 * Example: `/a` and `/a/b` → true, `/a` and `/ab` → false.
 */
export function holds(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
