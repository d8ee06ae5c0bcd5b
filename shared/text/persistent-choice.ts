import { expandBraces, pathPattern } from './path-glob.ts';

/**
 * Returns the chosen files and folders of a service that are at a persistent path, or that contain a persistent path
 * (docs/specification.md#persistentpaths).
 *
 * Example: chosen `world`, `plugins` and `ops.json`; persistent paths `world*` and `plugins/Shop/data` → `world` and
 * `plugins`.
 */
export function chosenPersistent(chosen: readonly string[], persistentPaths: readonly string[]): string[] {
  const globs = persistentPaths.flatMap((path) => expandBraces(path) ?? []);
  return chosen.filter((path) => globs.some((glob) => startsAs(path, glob) || isAbove(path, glob)));
}

/**
 * Returns a warning about chosen files that may have no effect in the template: if the volume of a service has files
 * at the same path, the service gets the files of the volume instead. Null if no chosen file is at a persistent path.
 */
export function persistentChoiceWords(
  chosen: readonly string[],
  persistentPaths: readonly string[],
): string | null {
  const [first, ...more] = chosenPersistent(chosen, persistentPaths);
  if (first === undefined) return null;
  const which =
    more.length === 0
      ? `${first} is at a persistent path, or contains one`
      : `${first} and ${more.length} more are at persistent paths, or contain some`;
  return `${which}. Services get the files of the template there only if their volume has none at this path yet.`;
}

/**
 * Returns whether a folder may contain something that a glob matches: the folder's names match the first names of the
 * glob.
 */
function isAbove(folder: string, glob: string): boolean {
  const depth = namesOf(folder).length;
  const names = namesOf(glob);
  const wild = names.indexOf('**');
  if (wild === -1 && depth >= names.length) return false;
  const first = names.slice(0, wild === -1 ? depth : Math.min(depth, wild));
  return first.length === 0 || startsAs(folder, first.join('/'));
}

/** Returns whether a glob matches a path, or a folder that contains the path. */
function startsAs(path: string, glob: string): boolean {
  return new RegExp(`^${pathPattern(glob, 1).source}`, 'su').test(path);
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '');
}
