import type { Tree } from './tree.ts';

/** What of a source goes when some of its files go. Paths are names in order; empty: the root itself. */
interface Leaving {
  /** The fewest entries that hold all that goes, and nothing else: whole folders where it can be. */
  readonly tops: readonly (readonly string[])[];
  /** Folders of which nothing stays, the deepest first. */
  readonly folders: readonly (readonly string[])[];
  /** Files that go. */
  readonly files: readonly (readonly string[])[];
}

/**
 * Tells what of a source is to be taken away. A folder goes when all that is in it goes; what was left out of the transfer,
 * and what has come into the source since, keeps its folders there.
 *
 * @param now the source as it is now
 * @param goes files, as their names joined with `/`
 * Example: of `a/1, a/2, b/1, b/link` go all three files: `tops` are `a` and `b/1`.
 */
export function leavingOf(now: Tree, goes: ReadonlySet<string>): Leaving {
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
