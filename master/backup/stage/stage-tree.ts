import type { BigIntStats } from 'node:fs';
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { basename, dirname } from 'node:path/posix';
import { setTimeout as delay } from 'node:timers/promises';
import { READ_ONLY_FILE } from '#shared/node/small-file.ts';
import { pathOfOpened } from '#master/templates/links.ts';
import { FolderReplaced, inExactFolder, inPlainFolder } from '#master/templates/pinned-folder.ts';
import { modifiedAtMs } from '#master/templates/revisions/scan-folder.ts';
import { isUploadInProgress } from '#master/templates/upload-names.ts';
import type { TreeEntry } from '../tree.ts';
import type { ObjectPool } from './object-pool.ts';

/**
 * Minimum time since the last change of a file, after which the file counts as completely written (ms). The same
 * value applies to revisions of templates.
 */
const QUIET_MS = 1_000;

/** Pause before files that are being written are read again (ms). They are read again at most `PASSES` times. */
const PAUSE_MS = 500;
const PASSES = 8;

/** Maximum length of a path (bytes) and nesting of folders that a restore can create below its temporary folder. */
const MAX_PATH_BYTES = 3_072;
const MAX_DEPTH = 256;

/** The version of a file whose content is already among the objects. */
export interface KnownFile {
  readonly stamp: string;
  readonly hash: string;
  readonly size: number;
  readonly mode: number;
}

export interface StagedTree {
  /** The files, folders and links, in the order in which a restore creates them: each folder before its content. */
  readonly entries: readonly TreeEntry[];
  /**
   * Paths of files and folders that were being written or replaced during all attempts. The backup has the last
   * complete version of such a file, or no version.
   */
  readonly unfinished: readonly string[];
  /** Paths of entries that are neither a file nor a folder nor a link. They are not in the backup. */
  readonly special: readonly string[];
  /** Paths whose last name is not valid UTF-8, shown with replacement characters. They are not in the backup. */
  readonly misnamed: readonly string[];
  /** Paths that are too long or nested too deeply to be restored. They are not in the backup. */
  readonly unreachable: readonly string[];
}

export interface TreeOptions {
  readonly pool: ObjectPool;
  /** Returns the stored version of a file. */
  readonly known?: (path: string) => KnownFile | undefined;
  /** Returns the wall-clock time (ms since epoch). */
  readonly now: () => number;
}

/** A file or folder that is being written or replaced. */
interface Unsettled {
  readonly path: string;
  readonly known: KnownFile | undefined;
}

/** Thrown if a file or folder was replaced by something else after it was looked at. */
class Replaced extends Error {}

/** Codes of errors that say that something of another kind has the name by now. */
const REPLACED = new Set(['ELOOP', 'ENOTDIR', 'ENXIO', 'EINVAL']);

/**
 * Stores a folder that people edit in a backup, without incomplete uploads and half-written files. Links in the
 * folder are stored as links. They are never followed, even if a link replaces a folder or file in the meantime: each
 * entry is reached from the opened folder around it.
 *
 * @param root path of the folder, without links
 * @throws FolderReplaced; DiskReserveReached; errno errors, ENOENT if the folder does not exist
 */
export async function stageTree(root: string, options: TreeOptions): Promise<StagedTree> {
  const entries: TreeEntry[] = [];
  const special: string[] = [];
  const misnamed: string[] = [];
  const unreachable: string[] = [];
  let waiting: Unsettled[] = [];

  /** Adds the entries of an open folder. `at` is its path for system calls. */
  async function visit(folder: string, at: string): Promise<void> {
    for (const bytes of await unlessGone(() => readdir(at, 'buffer'), [])) {
      const name = bytes.toString();
      if (isUploadInProgress(name)) continue;
      const path = folder === '' ? name : `${folder}/${name}`;
      if (!Buffer.from(name).equals(bytes)) misnamed.push(path);
      else if (isUnreachable(path)) unreachable.push(path);
      else {
        const isAdded = await unlessReplaced(() => unlessGone(() => add(path, join(at, name)), undefined));
        if (isAdded === null) waiting.push({ path, known: options.known?.(path) });
      }
    }
  }

  /** Adds an entry. `at` is its path for system calls. */
  async function add(path: string, at: string): Promise<void> {
    const stats = await lstat(at);
    if (stats.isDirectory()) {
      const isFolder = await inPlainFolder(at, async (inside) => {
        entries.push({ type: 'folder', path, mode: stats.mode & 0o777 });
        await visit(path, inside);
      });
      if (!isFolder) throw new Replaced();
    } else if (stats.isSymbolicLink()) {
      entries.push({ type: 'link', path, target: await readlink(at) });
    } else if (stats.isFile()) {
      const known = options.known?.(path);
      const entry = await stageFile({ path, known, at }, options);
      if (entry === null) waiting.push({ path, known });
      else entries.push(entry);
    } else special.push(path);
  }

  await inExactFolder(root, '', (at) => visit('', at));
  for (let pass = 0; pass < PASSES && waiting.length > 0; pass++) {
    await delay(PAUSE_MS);
    const again = waiting;
    waiting = [];
    for (const { path } of again) {
      const isAdded = await unlessReplaced(() =>
        unlessGone(
          () => inExactFolder(root, dirname(path), (at) => add(path, join(at, basename(path)))),
          undefined,
        ),
      );
      if (isAdded === null) waiting.push({ path, known: options.known?.(path) });
    }
  }
  for (const { path, known } of waiting) {
    if (known !== undefined && options.pool.has(known.hash)) entries.push(toEntry(path, known));
  }
  return { entries, unfinished: waiting.map(({ path }) => path), special, misnamed, unreachable };
}

/** Returns whether a restore could not create an entry, because its path is too long. */
function isUnreachable(path: string): boolean {
  return Buffer.byteLength(path) > MAX_PATH_BYTES || path.split('/').length > MAX_DEPTH;
}

/**
 * Stores one file, and returns its entry. Returns null if the file is being written or replaced. Throws ENOENT if it
 * was removed.
 */
async function stageFile(
  { path, known, at }: Unsettled & { readonly at: string },
  { pool, now }: TreeOptions,
): Promise<TreeEntry | null> {
  const before = toVersion(await lstat(at, { bigint: true }));
  if (known?.stamp === before.stamp && pool.has(known.hash)) return toEntry(path, { ...known, ...before });
  const age = now() - before.changedAtMs;
  // If the time is in the future, the age of the last change is unknown, so the file is not skipped.
  if (age >= 0 && age < QUIET_MS) return null;
  const file = await open(at, READ_ONLY_FILE);
  try {
    const isUnchanged = async (): Promise<boolean> =>
      toVersion(await file.stat({ bigint: true })).stamp === before.stamp;
    if (!(await isUnchanged())) return null;
    const hash = await pool.copy(pathOfOpened(file, at), before.size);
    return (await isUnchanged()) ? toEntry(path, { ...before, hash }) : null;
  } finally {
    await file.close();
  }
}

function toEntry(
  path: string,
  { stamp, hash, size, mode }: { stamp: string; hash: string; size: number; mode: number },
): TreeEntry {
  return { type: 'file', path, mode, size, modifiedAtMs: modifiedAtMs(stamp), hash };
}

/**
 * Returns the values of a file that change with every write. The stamp has the same form as the stamps of revisions.
 */
function toVersion({ size, mtimeNs, ctimeNs, ino, mode }: BigIntStats) {
  return {
    stamp: [size, mtimeNs, ctimeNs, ino].join(':'),
    size: Number(size),
    mode: Number(mode & 0o777n),
    // Programs that upload files may set the modification time afterwards, but they cannot set the change time.
    changedAtMs: Number(ctimeNs / 1_000_000n),
  };
}

async function unlessGone<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw error;
  }
}

/** Returns null if something of another kind has replaced a file or folder after it was looked at. */
async function unlessReplaced(work: () => Promise<void>): Promise<true | null> {
  try {
    await work();
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (error instanceof Replaced || error instanceof FolderReplaced || REPLACED.has(code)) return null;
    throw error;
  }
}
