import type { BigIntStats } from 'node:fs';
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { basename, dirname } from 'node:path/posix';
import { setTimeout as delay } from 'node:timers/promises';
import { READ_ONLY_FILE } from '#shared/node/small-file.ts';
import { LOST_AND_FOUND } from '#master/store/list-tree.ts';
import { FileTruncated } from '#master/templates/copy-file.ts';
import { diskCode, diskProblem } from '#master/templates/disk-problem.ts';
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
  readonly tooLong: readonly string[];
  /** Paths that the master has no right to read. They are not in the backup. */
  readonly unreadable: readonly string[];
}

export interface TreeOptions {
  readonly pool: ObjectPool;
  /** Returns the stored version of a file. */
  readonly known?: (path: string) => KnownFile | undefined;
  /** Returns the wall-clock time (ms since epoch). */
  readonly now: () => number;
}

/** Values of a file that change with every write. */
interface Version {
  readonly stamp: string;
  readonly size: number;
  readonly mode: number;
  readonly changedAtMs: number;
}

/** A file or folder that is being written or replaced. */
interface Unsettled {
  readonly path: string;
  readonly known: KnownFile | undefined;
}

/** Thrown if a file or folder was replaced by something else after it was looked at. */
class Replaced extends Error {}

/** Thrown if an entry cannot be read because of the machine, such as a faulty disk. Its message names the entry. */
class ReadFailed extends Error {}

/** Wraps an error that does not concern the folder that people edit, but the backup's own files. */
class PoolFailed extends Error {}

/**
 * What became of an entry. `gone`: it was removed or renamed. `replaced`: something of another kind has its name now,
 * or it cannot be opened for a moment. The entry is tried again.
 */
type Outcome = 'added' | 'gone' | 'replaced' | 'too long' | 'unreadable';

/** Outcome of an entry if a system call on it fails with this code. */
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  ENOENT: 'gone',
  ELOOP: 'replaced',
  ENOTDIR: 'replaced',
  ENXIO: 'replaced',
  // Another program has a lease on the file, as Samba does.
  EAGAIN: 'replaced',
  // `readlink` of something that is not a link.
  EINVAL: 'replaced',
  ENAMETOOLONG: 'too long',
  EACCES: 'unreadable',
  EPERM: 'unreadable',
};

/** Maximum number of times that a folder is listed, in order to find entries that were renamed in the meantime. */
const LISTINGS = 3;

/**
 * Stores a folder that people edit in a backup, without incomplete uploads, half-written files, and the folder
 * {@link LOST_AND_FOUND} of a disk that is mounted there. Links in the folder are stored as links. They are never
 * followed, even if a link replaces a folder or file in the meantime: each entry is reached from the opened folder
 * around it.
 *
 * @param root path of the folder, without links
 * @throws FolderReplaced; DiskReserveReached; errno errors, ENOENT if the folder does not exist
 */
export async function stageTree(root: string, options: TreeOptions): Promise<StagedTree> {
  const entries: TreeEntry[] = [];
  const special: string[] = [];
  const misnamed: string[] = [];
  const tooLong: string[] = [];
  const unreadable: string[] = [];
  let waiting: Unsettled[] = [];

  /** Adds the entries of an open folder. `at` is its path for system calls. */
  async function visit(folder: string, at: string, listing: readonly Buffer[]): Promise<void> {
    const seen = new Set<string>();
    let names = listing;
    for (let pass = 1; names.length > 0; pass++) {
      for (const bytes of names) {
        const key = bytes.toString('latin1');
        seen.add(key);
        const name = bytes.toString();
        if (isUploadInProgress(name)) continue;
        const path = folder === '' ? name : `${folder}/${name}`;
        if (path === LOST_AND_FOUND) continue;
        if (!Buffer.from(name).equals(bytes)) misnamed.push(path);
        // A new entry may get this name.
        else if ((await tryToAdd(path, () => add(path, join(at, name)))) === 'gone') seen.delete(key);
      }
      if (pass === LISTINGS) return;
      const again = await readdir(at, 'buffer').catch(() => []);
      names = again.filter((bytes) => !seen.has(bytes.toString('latin1')));
    }
  }

  async function tryToAdd(path: string, work: () => Promise<void>): Promise<Outcome> {
    const outcome = isTooLong(path) ? 'too long' : await outcomeOf(path, work);
    if (outcome === 'replaced') waiting.push({ path, known: options.known?.(path) });
    else if (outcome === 'too long') tooLong.push(path);
    else if (outcome === 'unreadable') unreadable.push(path);
    return outcome;
  }

  /** Adds an entry. `at` is its path for system calls. */
  async function add(path: string, at: string): Promise<void> {
    const stats = await lstat(at, { bigint: true });
    if (stats.isDirectory()) {
      const isFolder = await inPlainFolder(at, async (inside) => {
        const listing = await readdir(inside, 'buffer');
        entries.push({ type: 'folder', path, mode: Number(stats.mode & 0o777n) });
        await visit(path, inside, listing);
      });
      if (!isFolder) throw new Replaced();
    } else if (stats.isSymbolicLink()) {
      entries.push({ type: 'link', path, target: await readlink(at) });
    } else if (stats.isFile()) {
      const known = options.known?.(path);
      const entry = await stageFile({ path, known, at, before: toVersion(stats) }, options);
      if (entry === null) waiting.push({ path, known });
      else entries.push(entry);
    } else special.push(path);
  }

  try {
    await inExactFolder(root, '', async (at) => visit('', at, await readdir(at, 'buffer')));
    for (let pass = 0; pass < PASSES && waiting.length > 0; pass++) {
      await delay(PAUSE_MS);
      const again = waiting;
      waiting = [];
      for (const { path } of again)
        await tryToAdd(path, () =>
          inExactFolder(root, dirname(path), (at) => add(path, join(at, basename(path)))),
        );
    }
  } catch (error) {
    throw error instanceof PoolFailed ? error.cause : error;
  }
  for (const { path, known } of waiting) {
    if (known !== undefined && options.pool.has(known.hash)) entries.push(toEntry(path, known));
  }
  return { entries, unfinished: waiting.map(({ path }) => path), special, misnamed, tooLong, unreadable };
}

/** Returns whether a restore could not create an entry, because its path is too long. */
function isTooLong(path: string): boolean {
  return Buffer.byteLength(path) > MAX_PATH_BYTES || path.split('/').length > MAX_DEPTH;
}

/**
 * Stores one file, and returns its entry. Returns null if the file is being written or replaced. Throws ENOENT if it
 * was removed.
 */
async function stageFile(
  { path, known, at, before }: Unsettled & { readonly at: string; readonly before: Version },
  { pool, now }: TreeOptions,
): Promise<TreeEntry | null> {
  if (known?.stamp === before.stamp && pool.has(known.hash)) return toEntry(path, { ...known, ...before });
  const age = now() - before.changedAtMs;
  // If the time is in the future, the age of the last change is unknown, so the file is not skipped.
  if (age >= 0 && age < QUIET_MS) return null;
  const file = await open(at, READ_ONLY_FILE);
  try {
    const isUnchanged = async (): Promise<boolean> => {
      const stats = await file.stat({ bigint: true });
      return stats.isFile() && toVersion(stats).stamp === before.stamp;
    };
    if (!(await isUnchanged())) return null;
    const hash = await pool.copy({ file, path: at }, before.size).catch((error: unknown) => {
      if (error instanceof FileTruncated) return null;
      throw new PoolFailed('a file could not be stored', { cause: error });
    });
    return hash !== null && (await isUnchanged()) ? toEntry(path, { ...before, hash }) : null;
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
function toVersion({ size, mtimeNs, ctimeNs, ino, mode }: BigIntStats): Version {
  return {
    stamp: [size, mtimeNs, ctimeNs, ino].join(':'),
    size: Number(size),
    mode: Number(mode & 0o777n),
    // Programs that upload files may set the modification time afterwards, but they cannot set the change time.
    changedAtMs: Number(ctimeNs / 1_000_000n),
  };
}

/**
 * Calls `work`, which adds an entry, and returns what became of the entry. An error of `work` that does not show this
 * is thrown again with the path of the entry.
 */
async function outcomeOf(path: string, work: () => Promise<void>): Promise<Outcome> {
  try {
    await work();
    return 'added';
  } catch (error) {
    if (error instanceof PoolFailed || error instanceof ReadFailed) throw error;
    if (error instanceof Replaced || error instanceof FolderReplaced) return 'replaced';
    const outcome = OUTCOMES[diskCode(error) ?? ''];
    if (outcome !== undefined) return outcome;
    throw new ReadFailed(`${path} cannot be read: ${diskProblem(error)}`, { cause: error });
  }
}
