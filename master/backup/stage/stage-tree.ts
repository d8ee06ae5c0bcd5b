import type { BigIntStats } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openWithoutLinks, pathOfOpened } from '#master/templates/links.ts';
import { inExactFolder } from '#master/templates/pinned-folder.ts';
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
   * Paths of files that were being written during all attempts. The backup has their last complete version, or no
   * version of them.
   */
  readonly unfinished: readonly string[];
  /** Paths of entries that are neither a file nor a folder nor a link. They are not in the backup. */
  readonly special: readonly string[];
  /** Paths whose last name is not valid UTF-8, shown with replacement characters. They are not in the backup. */
  readonly misnamed: readonly string[];
}

export interface TreeOptions {
  readonly pool: ObjectPool;
  /** Returns the stored version of a file. */
  readonly known?: (path: string) => KnownFile | undefined;
  /** Returns the wall-clock time (ms since epoch). */
  readonly now: () => number;
}

interface Unsettled {
  readonly path: string;
  readonly known: KnownFile | undefined;
}

/**
 * Stores a folder that people edit in a backup, without incomplete uploads and half-written files. If the folder does
 * not exist, the result is empty. Links in the folder are stored as links. They are never followed, even if a link
 * replaces a folder or file in the meantime.
 *
 * @param root path of the folder, without links
 * @throws FolderReplaced; DiskReserveReached; errno errors
 */
export async function stageTree(root: string, options: TreeOptions): Promise<StagedTree> {
  const entries: TreeEntry[] = [];
  const special: string[] = [];
  const misnamed: string[] = [];
  let waiting: Unsettled[] = [];

  function visit(folder: string): Promise<void> {
    return inExactFolder(root, folder, async (at) => {
      for (const bytes of await unlessGone(() => readdir(at, 'buffer'), [])) {
        const name = bytes.toString();
        if (isUploadInProgress(name)) continue;
        const path = folder === '' ? name : `${folder}/${name}`;
        if (!Buffer.from(name).equals(bytes)) misnamed.push(path);
        else await unlessGone(() => add(path, `${at}/${name}`), undefined);
      }
    });
  }

  /** Adds an entry. `at` is its path for system calls. */
  async function add(path: string, at: string): Promise<void> {
    const stats = await lstat(at);
    if (stats.isDirectory()) {
      entries.push({ type: 'folder', path, mode: stats.mode & 0o777 });
      await visit(path);
    } else if (stats.isSymbolicLink()) {
      entries.push({ type: 'link', path, target: await readlink(at) });
    } else if (stats.isFile()) {
      const known = options.known?.(path);
      const entry = await stageFile(root, { path, known }, options);
      if (entry === null) waiting.push({ path, known });
      else entries.push(entry);
    } else special.push(path);
  }

  await unlessGone(() => visit(''), undefined);
  for (let pass = 0; pass < PASSES && waiting.length > 0; pass++) {
    await delay(PAUSE_MS);
    const still: Unsettled[] = [];
    for (const file of waiting) {
      const entry = await unlessGone(() => stageFile(root, file, options), undefined);
      if (entry === null) still.push(file);
      else if (entry !== undefined) entries.push(entry);
    }
    waiting = still;
  }
  for (const { path, known } of waiting) {
    if (known !== undefined && options.pool.has(known.hash)) entries.push(toEntry(path, known));
  }
  return { entries, unfinished: waiting.map(({ path }) => path), special, misnamed };
}

/**
 * Adds one file, and returns its entry. Returns null if the file is being written or replaced. Throws ENOENT if it was
 * removed.
 */
async function stageFile(
  root: string,
  { path, known }: Unsettled,
  { pool, now }: TreeOptions,
): Promise<TreeEntry | null> {
  const at = join(root, path);
  const before = toVersion(await lstat(at, { bigint: true }));
  if (known?.stamp === before.stamp && pool.has(known.hash)) return toEntry(path, { ...known, ...before });
  const age = now() - before.changedAtMs;
  // If the time is in the future, the age of the last change is unknown, so the file is not skipped.
  if (age >= 0 && age < QUIET_MS) return null;
  const file = await openWithoutLinks(at);
  if (file === null) return null;
  try {
    const hash = await pool.copy(pathOfOpened(file, at), before.size);
    const after = toVersion(await file.stat({ bigint: true }));
    return after.stamp === before.stamp ? toEntry(path, { ...before, hash }) : null;
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
