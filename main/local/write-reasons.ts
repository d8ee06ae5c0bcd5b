import { isAbsolute, relative, sep } from 'node:path';

/** Why a person is asked before something is written to a path of this computer; null: no need to. */
export type WriteReason = 'hidden' | 'elsewhere' | null;

/** What decides whether writing is asked for. */
export interface WriteRoots {
  /** Folders that may be written to without a question. */
  readonly free: readonly string[];
  /** Folders that the window may look into at all. */
  readonly places: readonly string[];
}

/**
 * Why writing to a path has to be confirmed by a person, outside of the page.
 *
 * - `elsewhere`: it is in none of the folders that a person has given to the app for writing.
 * - `hidden`: a name on the way from such a folder (or from the place) down to it begins with a dot: files of that kind run,
 *   or set how others run (`.bashrc`, `.config/autostart`, `.git/hooks`).
 *
 * Pure; paths are absolute, with links followed.
 */
export function writeReason(path: string, { free, places }: WriteRoots): WriteReason {
  const root = deepest(path, free);
  if (isHidden(path, root ?? deepest(path, places))) return 'hidden';
  return root === null ? 'elsewhere' : null;
}

/** True when one of the names below `root` begins with a dot; of all its names where there is no root. */
function isHidden(path: string, root: string | null): boolean {
  const way = root === null ? path : relative(root, path);
  return way.split(sep).some((name) => name.startsWith('.'));
}

/** The folder nearest to a path that holds it, or is it; null when none does. */
function deepest(path: string, folders: readonly string[]): string | null {
  let found: string | null = null;
  for (const folder of folders) {
    if (holds(folder, path) && folder.length > (found?.length ?? -1)) found = folder;
  }
  return found;
}

/** True when a path is a folder or below it. */
export function holds(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
