import type { Tree } from './tree.ts';

/**
 * The entries to remove from a source when some of its files are moved. Paths are lists of names; an empty list is
 * the root itself.
 */
interface Leaving {
  /**
   * The smallest set of entries that contains exactly the files and folders to remove. Contains whole folders where
   * possible.
   */
  readonly tops: readonly (readonly string[])[];
  /** Folders to remove with all their content, the deepest first. */
  readonly folders: readonly (readonly string[])[];
  /** Files to remove. */
  readonly files: readonly (readonly string[])[];
}

/**
 * Returns the entries to remove from a source. A folder is removed if all of its content is removed. An entry that
 * was not moved, because it was skipped or is new, keeps all its parent folders.
 *
 * Example: when `a/1`, `a/2` and `b/1` are moved from `a/1, a/2, b/1, b/link`, `tops` are `a` and `b/1`.
 *
 * @param now the source as it is now
 * @param goes paths of the moved files, separated by `/`
 */
export function entriesToRemove(now: Tree, goes: ReadonlySet<string>): Leaving {
  const files = now.files.filter(({ path }) => goes.has(path.join('/'))).map(({ path }) => path);
  if (now.root === 'file') return { tops: files, folders: [], files };
  const stays = [
    ...now.files.filter(({ path }) => !goes.has(path.join('/'))).map(({ path }) => path),
    ...now.skipped.map((path) => path.split('/')),
  ];
  const kept = new Set(stays.flatMap((path) => path.map((_, depth) => path.slice(0, depth).join('/'))));
  const folders = [[], ...now.folders.map(({ path }) => path)].filter((path) => !kept.has(path.join('/')));
  const whole = new Set(folders.map((path) => path.join('/')));
  const isTop = (path: readonly string[]) => path.length === 0 || !whole.has(path.slice(0, -1).join('/'));
  return {
    tops: [...folders, ...files].filter(isTop),
    folders: folders.toSorted((a, b) => b.length - a.length),
    files,
  };
}
