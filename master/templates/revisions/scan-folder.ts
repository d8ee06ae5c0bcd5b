import type { BigIntStats } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { diskProblem } from '../disk-problem.ts';
import { resolveLink } from '../links.ts';
import { inExactFolder } from '../pinned-folder.ts';
import { isUploadInProgress } from '../upload-names.ts';

/** Maximum number of files in a template. It is more than any real server has and protects the master's memory. */
export const MAX_FILES = 200_000;
/** Maximum nesting of folders. It is deeper than on any real server, and far below the limits of path lengths. */
const MAX_DEPTH = 64;
/** Maximum length of a path in a template (bytes), as on Linux. Other systems allow longer paths. */
export const MAX_PATH_BYTES = 4_096;

/** A regular file or empty folder that a scan found. The path of an empty folder ends in `/`, and its size is 0. */
export interface SeenFile {
  /** Path relative to the template's folder, joined with `/`. */
  readonly path: string;
  /** Path of the content relative to the folder, without links. It differs from `path` for files below a link. */
  readonly source: string;
  readonly size: number;
  /** Permission bits only; bits such as set-uid are never copied. */
  readonly mode: number;
  readonly modifiedAtMs: number;
  /**
   * Text that changes with every write, rename or chmod: size, mtime, ctime and inode. A file with an equal stamp
   * is not read again.
   */
  readonly stamp: string;
}

/** Identifies a version of a file. */
type StampedFile = Pick<SeenFile, 'path' | 'stamp'>;

/**
 * Result of a scan. It is the content, sorted by path, or the reason why the folder cannot be used. The reason is the
 * second half of a sentence, for example "plugins/pipe is neither a file nor a folder; remove it".
 */
export type Scan =
  | {
      readonly kind: 'ok';
      readonly files: readonly SeenFile[];
      /** Paths of the symbolic links that were followed, without those below a followed link. */
      readonly links: readonly string[];
      readonly newestChangeMs: number;
    }
  | { readonly kind: 'problem'; readonly problem: string };

/** The files and links that a scan has found. */
export type FoundFiles = Pick<Extract<Scan, { readonly kind: 'ok' }>, 'files' | 'links'>;

class Unusable extends Error {}

/** A file or folder in the template's folder: its path in that folder, and its real path after following links. */
type Place = Pick<SeenFile, 'path' | 'source'>;

/**
 * Scans a template's folder without reading file contents. Skips incomplete uploads. A link that stays inside the
 * folder counts as its target. The folder is unusable if it contains other links or special files, or folders that
 * are nested deeper than 64. If other links and special files were skipped, the server would later fail for reasons
 * that are hard to understand.
 *
 * @param options.isExact whether nothing outside of the folder may be listed, even if folders and links swap names
 *   during the scan. Only guaranteed on Linux. The check takes some 0.1 ms of processor time for each folder
 * @param options.isReal whether a link in the path of the folder makes it unusable, because an attacker may have
 *   placed the link. Only checked on Linux, because paths on other systems may differ in upper and lower case
 */
export async function scanFolder(
  root: string,
  { isExact = false, isReal = false }: { readonly isExact?: boolean; readonly isReal?: boolean } = {},
): Promise<Scan> {
  const inside: typeof inExactFolder = isExact
    ? inExactFolder
    : (real, folder, work) => work(join(real, folder));
  const files: SeenFile[] = [];
  const links: string[] = [];
  let realRoot = root;
  let newestChangeMs = 0;

  /**
   * Visits one folder and everything in it.
   *
   * @param around the source paths of the parent folders
   * @returns the number of files and folders directly in the folder
   */
  async function visit(at: Place, around: readonly string[]): Promise<number> {
    const { path, source } = at;
    if (around.length > MAX_DEPTH) throw new Unusable(`${path} is nested deeper than ${MAX_DEPTH} folders`);
    const parents = [...around, source];
    return read(path, () =>
      inside(realRoot, source, async (folder) => {
        const names = (await readdir(folder)).filter((name) => !isUploadInProgress(name));
        for (const name of names) {
          const place = { path: inFolder(path, name), source: inFolder(source, name) };
          await look(place, parents, () => lstat(join(folder, name), { bigint: true }));
        }
        return names.length;
      }),
    );
  }

  async function look(
    { path, source }: Place,
    around: readonly string[],
    statsOf: () => Promise<BigIntStats>,
  ): Promise<void> {
    if (path.includes('\ufffd')) throw new Unusable(`the name of ${path} is not valid UTF-8; rename it`);
    const stats = await read(path, statsOf);
    if (Buffer.byteLength(path) > MAX_PATH_BYTES)
      throw new Unusable(
        `the path that begins with ${path.slice(0, 100)} has more than ${MAX_PATH_BYTES} bytes`,
      );
    newestChangeMs = Math.max(newestChangeMs, Number(stats.ctimeMs));
    if (stats.isSymbolicLink()) {
      const target = await resolveLink(realRoot, source);
      if (target.kind === 'refused') throw new Unusable(`${path} ${target.why}`);
      if (around.includes(target.path))
        throw new Unusable(`${path} is a symbolic link to a folder that contains it; remove it`);
      if (path === source) links.push(path);
      await look({ path, source: target.path }, around, () =>
        inside(realRoot, dirname(target.path), (folder) =>
          lstat(join(folder, basename(target.path)), { bigint: true }),
        ),
      );
      return;
    }
    const folder = stats.isDirectory();
    if (!folder && !stats.isFile()) throw new Unusable(`${path} is neither a file nor a folder; remove it`);
    if (folder && (await visit({ path, source }, around)) > 0) return;
    if (files.length >= MAX_FILES) throw new Unusable(`it contains more than ${MAX_FILES} files`);
    files.push({
      path: folder ? `${path}/` : path,
      source,
      size: folder ? 0 : Number(stats.size),
      mode: Number(stats.mode & 0o777n),
      modifiedAtMs: Number(stats.mtimeMs),
      stamp: folder ? String(stats.mode) : stampOf(stats),
    });
  }

  try {
    const stats = await read('', () => lstat(root));
    if (stats.isSymbolicLink()) throw new Unusable('it is a symbolic link; make it a folder');
    realRoot = await read('', () => realpath(root));
    if (isReal && process.platform === 'linux' && realRoot !== root)
      throw new Unusable('a folder around it was replaced by a symbolic link; make it a folder');
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
    if (error instanceof Unusable) throw error;
    throw new Unusable(path === '' ? diskProblem(error) : `${path} cannot be read: ${diskProblem(error)}`);
  }
}

/** Returns the stamp of a regular file, see {@link SeenFile}. */
export function stampOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return [size, mtimeNs, ctimeNs, ino].join(':');
}

/**
 * Returns the modification time that is part of a file's stamp (ms since epoch). Returns 0 if the stamp has none.
 *
 * Example: the stamp `12:1700000000123456789:1700000000123456789:7` gives 1700000000123.
 */
export function modifiedAtMs(stamp: string): number {
  const [, nanoseconds = ''] = stamp.split(':');
  return /^-?\d+$/.test(nanoseconds) ? Number(BigInt(nanoseconds) / 1_000_000n) : 0;
}

/** Returns the inode that is part of a file's stamp. Null for the stamp of a folder, which contains none. */
export function inodeOf(stamp: string): bigint | null {
  const inode = stamp.split(':')[3];
  return inode === undefined ? null : BigInt(inode);
}

/** Returns whether both scans found the same files in the same versions. */
export function isSameScan(a: readonly StampedFile[], b: readonly StampedFile[]): boolean {
  return (
    a.length === b.length &&
    a.every((file, index) => file.path === b[index]?.path && file.stamp === b[index].stamp)
  );
}
