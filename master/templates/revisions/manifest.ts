import { createHash } from 'node:crypto';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { diskProblem } from '../disk-problem.ts';
import { resolveLink } from '../links.ts';
import { isUploadInProgress } from '../upload-names.ts';

/** More files than any real server has; keeps a wrong folder (a whole disk) from eating the master's memory. */
export const MAX_FILES = 200_000;
/** Deeper than any real server, and far from the limits of path lengths. */
const MAX_DEPTH = 64;

/** One regular file, or one folder without content (its path ends in `/`, size 0), as a scan saw it. */
export interface SeenFile {
  /** Relative to the folder, parts joined by `/`. */
  readonly path: string;
  /** Where its content lies, relative to the folder and without links: another path than `path` below a link. */
  readonly source: string;
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
  | {
      readonly kind: 'ok';
      readonly files: readonly SeenFile[];
      /** Symbolic links that were followed, by path; those below a followed link are not named. */
      readonly links: readonly string[];
      readonly newestChangeMs: number;
    }
  | { readonly kind: 'problem'; readonly problem: string };

class Unusable extends Error {}

/** Something in the folder: as it is named, and where it lies once links are followed. */
type Place = Pick<SeenFile, 'path' | 'source'>;

/**
 * Lists a template's folder without reading file contents. Half-written uploads are left out. Links that stay inside the
 * folder count as what they lead to. Other links and special files make the folder unusable instead of being left out
 * silently: a server without a file it counts on fails in ways that nobody understands.
 */
export async function scanFolder(root: string): Promise<Scan> {
  const files: SeenFile[] = [];
  const links: string[] = [];
  let realRoot = root;
  let newestChangeMs = 0;

  /** @param around the folders that it lies in, by source */
  async function visit(at: Place, around: readonly string[]): Promise<number> {
    const { path, source } = at;
    if (around.length > MAX_DEPTH) throw new Unusable(`${path} is nested deeper than ${MAX_DEPTH} folders`);
    const names = (await read(path, () => readdir(join(root, source)))).filter(
      (name) => !isUploadInProgress(name),
    );
    const inside = [...around, source];
    for (const name of names) {
      await look({ path: inFolder(path, name), source: inFolder(source, name) }, inside);
    }
    return names.length;
  }

  async function look({ path, source }: Place, around: readonly string[]): Promise<void> {
    if (path.includes('\ufffd')) throw new Unusable(`the name of ${path} is not valid UTF-8; rename it`);
    const stats = await read(path, () => lstat(join(root, source), { bigint: true }));
    newestChangeMs = Math.max(newestChangeMs, Number(stats.ctimeMs));
    if (stats.isSymbolicLink()) {
      const target = await resolveLink(realRoot, source);
      if (target.kind === 'refused') throw new Unusable(`${path} ${target.why}`);
      if (around.includes(target.path))
        throw new Unusable(`${path} is a symbolic link to a folder that it lies in; remove it`);
      if (path === source) links.push(path);
      await look({ path, source: target.path }, around);
      return;
    }
    const folder = stats.isDirectory();
    if (!folder && !stats.isFile()) throw new Unusable(`${path} is neither a file nor a folder; remove it`);
    if (folder && (await visit({ path, source }, around)) > 0) return;
    if (files.length >= MAX_FILES) throw new Unusable(`it holds more than ${MAX_FILES} files`);
    const { mtimeNs, ctimeNs, ino } = stats;
    files.push({
      path: folder ? `${path}/` : path,
      source,
      size: folder ? 0 : Number(stats.size),
      mode: Number(stats.mode & 0o777n),
      modifiedAtMs: Number(stats.mtimeMs),
      stamp: folder ? String(stats.mode) : [stats.size, mtimeNs, ctimeNs, ino].join(':'),
    });
  }

  try {
    const stats = await read('', () => lstat(root));
    if (stats.isSymbolicLink()) throw new Unusable('it is a symbolic link; make it a folder');
    realRoot = await read('', () => realpath(root));
    await visit({ path: '', source: '' }, []);
  } catch (error) {
    if (error instanceof Unusable) return { kind: 'problem', problem: error.message };
    throw error;
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { kind: 'ok', files, links, newestChangeMs };
}

function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
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
