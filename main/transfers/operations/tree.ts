import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toLocalError } from '../remote/file-errors.ts';
import { isLocalName, isPartName } from '../remote/names.ts';
import type { RemoteFiles } from '../remote/remote-files.ts';

/** Maximum number of entries below one folder. A world has some ten thousand. */
const MAX_ENTRIES = 500_000;
const MAX_DEPTH = 100;

/** Character by which Node.js replaces the bytes of a name that are not valid UTF-8. */
const REPLACEMENT = '\uFFFD';

/** A file to copy. `path` is the list of names below the root of the walk; it is empty if the root is this file. */
export interface TreeFile {
  readonly path: readonly string[];
  readonly bytes: number;
  /** Permission bits, 0–0o777. */
  readonly mode: number;
  /** Ms since epoch. */
  readonly modifiedAt: number;
}

/**
 * Result of walking a file or folder, the root. `folders` does not include the root, and each folder comes before its
 * subfolders. If the root is a file, `files` contains only the root.
 */
export interface Tree {
  readonly root: 'file' | 'folder';
  readonly rootMode: number;
  readonly folders: { readonly path: readonly string[]; readonly mode: number }[];
  readonly files: TreeFile[];
  /**
   * Paths of the entries that are not copied: links, devices, partial files of this computer, and entries whose name
   * the other side does not allow.
   */
  readonly skipped: string[];
}

/** One entry, in the same form for both sides. */
interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly bytes: number;
  readonly mode: number;
  readonly modifiedAt: number;
}

/**
 * Walks a file or folder on this computer. Leaves out entries that are removed during the walk. Skips entries whose
 * name is not valid UTF-8, because Node.js cannot open them by their name.
 *
 * @param accepts returns whether an entry with this name is not skipped; without it, partial files are skipped, as
 *   on the master
 * @throws OverworldError LOCAL_FILE_UNREADABLE
 */
export async function walkLocal(
  root: string,
  signal?: AbortSignal,
  accepts: Walk['accepts'] = (name) => !isPartName(name),
): Promise<Tree> {
  const at = (path: readonly string[]) => join(root, ...path);
  const stats = await lstat(root).catch((error: unknown) => {
    throw toLocalError(error, root);
  });
  return walk({
    root: toEntry('', stats),
    rootPath: root,
    list: async (path) => {
      const names = await readdir(at(path)).catch((error: unknown) => {
        throw toLocalError(error, at(path));
      });
      const entries: Entry[] = [];
      for (const name of names.sort()) {
        const entry = await localChild(at(path), name);
        if (entry !== null) entries.push(entry);
      }
      return entries;
    },
    accepts,
    signal,
  });
}

/**
 * Walks a file or folder on the master.
 *
 * @throws OverworldError FILE_NOT_FOUND and other errors of the master's side
 */
export async function walkRemote(files: RemoteFiles, root: string, signal?: AbortSignal): Promise<Tree> {
  const entry = await files.find(root);
  if (entry === null) throw new OverworldError('FILE_NOT_FOUND', { path: root });
  return walk({
    root: entry,
    rootPath: root,
    list: (path) => files.list([root, ...path].join('/')),
    accepts: (name) => isLocalName(name, process.platform),
    signal,
  });
}

interface Walk {
  readonly root: Entry;
  readonly rootPath: string;
  readonly list: (path: readonly string[]) => Promise<readonly Entry[]>;
  readonly accepts: (name: string) => boolean;
  readonly signal: AbortSignal | undefined;
}

async function walk({ root, rootPath, list, accepts, signal }: Walk): Promise<Tree> {
  if (root.kind !== 'file' && root.kind !== 'folder') {
    const why =
      root.kind === 'link' ? 'it is a link; links are not copied' : 'it is neither a file nor a folder';
    throw new OverworldError('FILE_FORBIDDEN', { path: rootPath, why });
  }
  const tree: Tree = { root: root.kind, rootMode: root.mode & 0o777, folders: [], files: [], skipped: [] };
  if (root.kind === 'file') {
    tree.files.push(toFile([], root));
    return tree;
  }
  const open: (readonly string[])[] = [[]];
  let entries = 0;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    signal?.throwIfAborted();
    for (const entry of await list(folder)) {
      entries += 1;
      const path = [...folder, entry.name];
      if (entries > MAX_ENTRIES || path.length > MAX_DEPTH) {
        const why = `it has more than ${MAX_ENTRIES} entries or is nested deeper than ${MAX_DEPTH} folders`;
        throw new OverworldError('FILE_FORBIDDEN', { path: rootPath, why });
      }
      if (!accepts(entry.name)) tree.skipped.push(path.join('/'));
      else if (entry.kind === 'file') tree.files.push(toFile(path, entry));
      else if (entry.kind === 'folder') {
        tree.folders.push({ path, mode: entry.mode & 0o777 });
        open.push(path);
      } else tree.skipped.push(path.join('/'));
    }
  }
  return tree;
}

function toFile(path: readonly string[], { bytes, mode, modifiedAt }: Entry): TreeFile {
  return { path, bytes, mode: mode & 0o777, modifiedAt };
}

/**
 * Returns an entry of a folder on this computer. Null if it does not exist any more. An entry whose name is not valid
 * UTF-8 cannot be examined and has the kind `other`.
 *
 * @throws OverworldError LOCAL_FILE_UNREADABLE
 */
async function localChild(folder: string, name: string): Promise<Entry | null> {
  const path = join(folder, name);
  try {
    return toEntry(name, await lstat(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw toLocalError(error, path);
    return name.includes(REPLACEMENT) ? { name, kind: 'other', bytes: 0, mode: 0, modifiedAt: 0 } : null;
  }
}

function toEntry(name: string, stats: Stats): Entry {
  const kind = stats.isFile()
    ? 'file'
    : stats.isDirectory()
      ? 'folder'
      : stats.isSymbolicLink()
        ? 'link'
        : 'other';
  return { name, kind, bytes: stats.size, mode: stats.mode, modifiedAt: Math.floor(stats.mtimeMs) };
}
