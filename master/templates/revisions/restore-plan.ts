import { dirname } from 'node:path/posix';
import type { Scan, SeenFile } from './manifest.ts';
import { isSame } from './revision-changes.ts';
import type { RevisionRecord } from './revision-record.ts';

type Entry = RevisionRecord['entries'][number];

/** What has to be done to a folder to make its content that of a revision, in this order. */
export interface RestorePlan {
  /** Files that go, and links that get content of their own. */
  readonly remove: readonly string[];
  /** Folders that go when nothing else is in them; those inside others first. */
  readonly removeFolders: readonly string[];
  /** Folders that have to be there; those around others first. */
  readonly folders: readonly string[];
  /** Empty folders with their permission bits. */
  readonly emptyFolders: readonly Entry[];
  /** Files to be put there or replaced. */
  readonly put: readonly Entry[];
}

/**
 * Compares a folder with a revision by what is known without reading its files: those with the stamp of the known
 * content have its hash, all others count as different.
 *
 * A link stays when all that it leads to is right and stays; else files take its place, and what it leads to is left alone.
 *
 * @param known the content that the folder had when it was last looked at; null when nothing is known
 */
export function planRestore(
  { files, links }: Pick<Extract<Scan, { kind: 'ok' }>, 'files' | 'links'>,
  known: RevisionRecord | null,
  target: RevisionRecord,
): RestorePlan {
  const hashes = new Map(known?.entries.map((entry) => [`${entry.path}\0${entry.stamp}`, entry.hash]));
  const wanted = new Map(target.entries.map((entry) => [entry.path, entry]));
  const isRight = ({ path, size, mode, stamp }: SeenFile): boolean => {
    const entry = wanted.get(path);
    const hash = hashes.get(`${path}\0${stamp}`);
    return entry !== undefined && hash !== undefined && isSame(entry, { path, size, mode, hash });
  };
  const right = new Set(files.filter(isRight).map(({ path }) => path));
  const isRightBelow = (link: string): boolean => {
    const seen = files.filter(({ path }) => isAtOrBelow(path, link));
    const sources = seen.map(({ path, source }) => (path.endsWith('/') ? `${source}/` : source));
    const isComplete = [...wanted.keys()].filter((path) => isAtOrBelow(path, link)).length === seen.length;
    return isComplete && [...seen.map(({ path }) => path), ...sources].every((path) => right.has(path));
  };
  const replaced = links.filter((link) => !isRightBelow(link));
  const isReplaced = (path: string): boolean => replaced.some((link) => isAtOrBelow(path, link));
  for (const path of right) if (isReplaced(path)) right.delete(path);
  const gone = files.map(({ path }) => path).filter((path) => !path.endsWith('/') && !wanted.has(path));
  const folders = foldersOf(target.entries);
  return {
    remove: [...gone.filter((path) => !isReplaced(path)), ...replaced],
    removeFolders: [...foldersOf(files)]
      .filter((folder) => !folders.has(folder) && !isReplaced(folder))
      .sort(byDepth)
      .reverse(),
    folders: [...folders].sort(byDepth),
    emptyFolders: target.entries.filter(({ path }) => path.endsWith('/')),
    put: target.entries.filter(({ path }) => !path.endsWith('/') && !right.has(path)),
  };
}

function isAtOrBelow(path: string, link: string): boolean {
  return path === link || path.startsWith(`${link}/`);
}

function foldersOf(entries: readonly { readonly path: string }[]): Set<string> {
  const folders = new Set<string>();
  for (const { path } of entries) {
    let folder = path.endsWith('/') ? path.slice(0, -1) : dirname(path);
    for (; folder !== '.' && !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  }
  return folders;
}

function byDepth(a: string, b: string): number {
  return a.split('/').length - b.split('/').length;
}
