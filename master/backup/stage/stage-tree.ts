import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { modifiedAtMs } from '#master/templates/revisions/scan-folder.ts';
import { isUploadInProgress } from '#master/templates/upload-names.ts';
import type { TreeEntry } from '../tree.ts';
import type { ObjectPool } from './object-pool.ts';

/** Age of the last change from which a file counts as complete (ms), as for revisions of templates. */
const QUIET_MS = 1_000;

/** Pause before files that are being written are read again (ms), and how often that happens. */
const PAUSE_MS = 500;
const PASSES = 8;

/** Version of a file whose content is among the objects already. */
export interface KnownFile {
  readonly stamp: string;
  readonly hash: string;
  readonly size: number;
  readonly mode: number;
}

export interface StagedTree {
  /** In the order in which they are created again: folders before their content. */
  readonly entries: readonly TreeEntry[];
  /** Paths of files that were being written all the time. The backup has their last complete version, or none. */
  readonly unfinished: readonly string[];
  /** Paths of what is neither a file nor a folder nor a link. It is not in the backup. */
  readonly special: readonly string[];
  /** Paths, with replacement characters, whose last name is not UTF-8. They are not in the backup. */
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
 * Adds a folder that people edit to a backup, without incomplete uploads and half-written files. A folder that does not exist
 * is empty.
 *
 * @throws DiskReserveReached; errno errors
 */
export async function stageTree(root: string, options: TreeOptions): Promise<StagedTree> {
  const entries: TreeEntry[] = [];
  const special: string[] = [];
  const misnamed: string[] = [];
  let waiting: Unsettled[] = [];

  async function visit(folder: string): Promise<void> {
    for (const bytes of await unlessGone(() => readdir(join(root, folder), 'buffer'), [])) {
      const name = bytes.toString();
      if (isUploadInProgress(name)) continue;
      const path = folder === '' ? name : `${folder}/${name}`;
      if (!Buffer.from(name).equals(bytes)) misnamed.push(path);
      else await unlessGone(() => add(path), undefined);
    }
  }

  async function add(path: string): Promise<void> {
    const stats = await lstat(join(root, path));
    if (stats.isDirectory()) {
      entries.push({ type: 'folder', path, mode: stats.mode & 0o777 });
      await visit(path);
    } else if (stats.isSymbolicLink()) {
      entries.push({ type: 'link', path, target: await readlink(join(root, path)) });
    } else if (stats.isFile()) {
      const known = options.known?.(path);
      const entry = await stageFile(root, { path, known }, options);
      if (entry === null) waiting.push({ path, known });
      else entries.push(entry);
    } else special.push(path);
  }

  await visit('');
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

/** Adds one file. Returns null if it is being written. Throws ENOENT if it was removed. */
async function stageFile(
  root: string,
  { path, known }: Unsettled,
  { pool, now }: TreeOptions,
): Promise<TreeEntry | null> {
  const before = await stampOf(join(root, path));
  if (known?.stamp === before.stamp && pool.has(known.hash)) return toEntry(path, { ...known, ...before });
  const age = now() - before.changedAtMs;
  // A time in the future says nothing about the last change.
  if (age >= 0 && age < QUIET_MS) return null;
  const hash = await pool.copy(join(root, path), before.size);
  const after = await stampOf(join(root, path));
  return after.stamp === before.stamp ? toEntry(path, { ...before, hash }) : null;
}

function toEntry(
  path: string,
  { stamp, hash, size, mode }: { stamp: string; hash: string; size: number; mode: number },
): TreeEntry {
  return { type: 'file', path, mode, size, modifiedAtMs: modifiedAtMs(stamp), hash };
}

/** Reads what changes with every write, in the form of the stamps of revisions. */
async function stampOf(
  path: string,
): Promise<{ stamp: string; size: number; mode: number; changedAtMs: number }> {
  const { size, mtimeNs, ctimeNs, ino, mode } = await lstat(path, { bigint: true });
  return {
    stamp: [size, mtimeNs, ctimeNs, ino].join(':'),
    size: Number(size),
    mode: Number(mode & 0o777n),
    // Programs that upload files may set the time of their content afterwards, but not this one.
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
