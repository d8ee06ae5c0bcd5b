import { dirname } from 'node:path/posix';
import type { FoundFiles, SeenFile } from './scan-folder.ts';
import { isSame } from './revision-changes.ts';
import type { RevisionRecord } from './revision-record.ts';

type Entry = RevisionRecord['entries'][number];

/** Steps that turn a folder's content into the content of a revision, in this order. */
export interface RestorePlan {
  /** Files to remove, including links that files will replace. */
  readonly remove: readonly string[];
  /** Folders to remove if they are empty; children before parents. */
  readonly removeFolders: readonly string[];
  /** Folders that must exist; parents before children. */
  readonly folders: readonly string[];
  /** Empty folders and their permission bits. */
  readonly emptyFolders: readonly Entry[];
  /** Files to create or replace. */
  readonly put: readonly Entry[];
}

/**
 * Compares a folder with a revision without reading files. A file whose stamp is the same as at the last scan (see
 * {@link SeenFile}) has the hash of that scan. All other files count as different.
 *
 * A link is kept if all files that it leads to are correct and stay. Otherwise, files replace the link, and the
 * target of the link is not changed.
 *
 * @param known the folder's content at the last scan; null if it is unknown
 */
export function planRestore(
  { files, links }: FoundFiles,
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
