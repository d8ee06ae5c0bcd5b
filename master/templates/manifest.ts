import { createHash } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { diskProblem } from './disk-problem.ts';
import { isUploadInProgress } from './upload-names.ts';

/** More files than any real server has; keeps a wrong folder (a whole disk) from eating the master's memory. */
export const MAX_FILES = 200_000;
/** Deeper than any real server, and far from the limits of path lengths. */
const MAX_DEPTH = 64;

/** One regular file, or one folder without content (its path ends in `/`, size 0), as a scan saw it. */
export interface SeenFile {
  /** Relative to the folder, parts joined by `/`. */
  readonly path: string;
  readonly size: number;
  /** Permission bits alone; set-uid and the like never travel. */
  readonly mode: number;
  readonly modifiedAtMs: number;
  /** Changes with every write, rename or chmod: size, mtime, ctime and inode. Equal stamp = not read again. */
  readonly stamp: string;
}

/** A version of a file. */
type StampedFile = Pick<SeenFile, 'path' | 'stamp'>;

/** One line of a manifest. */
export interface ManifestEntry {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  /** sha256 of the content, hex; empty for a folder. */
  readonly hash: string;
}

/** What a look at a folder gives: its content sorted by path, or why it cannot be used, in one sentence. */
export type Scan =
  | { readonly kind: 'ok'; readonly files: readonly SeenFile[]; readonly newestChangeMs: number }
  | { readonly kind: 'problem'; readonly problem: string };

class Unusable extends Error {}

/**
 * Lists a template's folder without reading file contents. Half-written uploads are left out. Links and special files
 * make the folder unusable instead of being left out silently: a server without a file it counts on fails in ways
 * that nobody understands.
 */
export async function scanFolder(root: string): Promise<Scan> {
  const files: SeenFile[] = [];
  let newestChangeMs = 0;

  async function visit(folder: string, depth: number): Promise<number> {
    if (depth > MAX_DEPTH) throw new Unusable(`${folder} is nested deeper than ${MAX_DEPTH} folders`);
    const names = (await read(folder, () => readdir(join(root, folder)))).filter(
      (name) => !isUploadInProgress(name),
    );
    for (const name of names) await look(folder === '' ? name : `${folder}/${name}`, depth);
    return names.length;
  }

  async function look(path: string, depth: number): Promise<void> {
    if (path.includes('\ufffd')) throw new Unusable(`the name of ${path} is not valid UTF-8; rename it`);
    const stats = await read(path, () => lstat(join(root, path), { bigint: true }));
    if (stats.isSymbolicLink()) {
      throw new Unusable(`${path} is a symbolic link; links are not followed, put the file itself there`);
    }
    const folder = stats.isDirectory();
    if (!folder && !stats.isFile()) throw new Unusable(`${path} is neither a file nor a folder; remove it`);
    newestChangeMs = Math.max(newestChangeMs, Number(stats.ctimeMs));
    if (folder && (await visit(path, depth + 1)) > 0) return;
    if (files.length >= MAX_FILES) throw new Unusable(`it holds more than ${MAX_FILES} files`);
    const { mtimeNs, ctimeNs, ino } = stats;
    files.push({
      path: folder ? `${path}/` : path,
      size: folder ? 0 : Number(stats.size),
      mode: Number(stats.mode & 0o777n),
      modifiedAtMs: Number(stats.mtimeMs),
      stamp: folder ? String(stats.mode) : [stats.size, mtimeNs, ctimeNs, ino].join(':'),
    });
  }

  try {
    const stats = await read('', () => lstat(root));
    if (stats.isSymbolicLink()) throw new Unusable('it is a symbolic link; make it a folder');
    await visit('', 0);
  } catch (error) {
    if (error instanceof Unusable) return { kind: 'problem', problem: error.message };
    throw error;
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { kind: 'ok', files, newestChangeMs };
}

async function read<T>(path: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new Unusable(path === '' ? diskProblem(error) : `${path} cannot be read: ${diskProblem(error)}`);
  }
}

/** The time of the last change of content that a file's stamp carries, ms since epoch. */
export function modifiedAtMs(stamp: string): number {
  return Number(BigInt(stamp.split(':')[1] ?? 0) / 1_000_000n);
}

/** True when both scans saw the same files in the same versions. */
export function isSameScan(a: readonly StampedFile[], b: readonly StampedFile[]): boolean {
  return (
    a.length === b.length &&
    a.every((file, index) => file.path === b[index]?.path && file.stamp === b[index].stamp)
  );
}

/**
 * Names a content: the first 16 hex digits of the sha256 over its manifest. Times and inodes do not count: the same
 * files uploaded again are the same revision.
 *
 * @param entries sorted by path
 */
export function revisionOf(entries: readonly ManifestEntry[]): string {
  const hash = createHash('sha256');
  for (const { path, size, mode, hash: content } of entries) {
    hash.update(JSON.stringify([path, size, mode, content]));
  }
  return hash.digest('hex').slice(0, 16);
}
