import { constants, readlinkSync } from 'node:fs';
import { open, readdir, realpath, rm, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { diskCode } from './disk-problem.ts';

const isLinux = process.platform === 'linux';
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY;

/**
 * An open folder. It stays the same folder even if another file or folder gets its path later. The caller must close
 * it.
 */
export interface PinnedFolder {
  /** Path for system calls: names in it reach entries of exactly this folder. */
  readonly path: string;
  close(): Promise<void>;
}

/**
 * Opens a folder inside another one, and checks that the opened folder is inside. Links that stay inside are
 * followed. On Linux, calls that use the result reach the opened folder even if a link replaces it later. On macOS
 * and Windows, they would follow such a link. This is acceptable, because the master runs there for the user of the
 * app, who could write to the link's target directly.
 *
 * @param root real path of the outer folder
 * @param folder path relative to it; empty for the outer folder itself
 * @throws Error if the folder is outside; errno errors
 */
export async function pinFolder(root: string, folder: string): Promise<PinnedFolder> {
  const path = join(root, folder);
  if (!isLinux) {
    const real = await realpath(path);
    requireInside(root, real, folder);
    return { path: real, close: () => Promise.resolve() };
  }
  const handle = await open(path, FOLDER);
  try {
    const own = pathOf(handle);
    requireInside(root, readlinkSync(own), folder);
    return { path: own, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Opens and checks a folder as {@link pinFolder} does, calls `work` with a path for system calls on the folder, and
 * closes the folder afterwards.
 *
 * @throws Error if the folder is outside of `root`; errno errors; what `work` throws
 */
export async function inFolder<T>(
  root: string,
  folder: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const pinned = await pinFolder(root, folder);
  try {
    return await work(pinned.path);
  } finally {
    await pinned.close();
  }
}

/** Thrown if a path leads to another folder than the one that it names, because a part of it is a link. */
export class FolderReplaced extends Error {}

/**
 * Opens the folder at a path, follows no link in this path, calls `work` with a path for system calls on the folder,
 * and closes the folder afterwards. It is meant for folders in which an attacker may place links. See
 * {@link pinFolder} for the differences between systems.
 *
 * @param root real path of the outer folder
 * @param folder path relative to it, without links; empty for the outer folder itself
 * @throws FolderReplaced; errno errors; what `work` throws
 */
export async function inExactFolder<T>(
  root: string,
  folder: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const path = join(root, folder);
  if (!isLinux) {
    requireExact(path, await realpath(path));
    return work(path);
  }
  const handle = await open(path, FOLDER);
  try {
    const own = pathOf(handle);
    // The system may have followed a link. It then reports the path of the folder that was opened.
    requireExact(path, readlinkSync(own));
    return await work(own);
  } finally {
    await handle.close();
  }
}

function requireExact(path: string, real: string): void {
  if (real !== path) throw new FolderReplaced(`${path} was replaced by a link to ${real}`);
}

function requireInside(root: string, real: string, folder: string): void {
  if (real === root || real.startsWith(root + sep)) return;
  throw new Error(`${folder} was replaced by a link to ${real}`);
}

/**
 * Removes a file, or a folder with everything in it. Does nothing if the path does not exist. On Linux, folders may
 * be nested so deeply that a path is too long for the system, and links are never followed, even if a folder and a
 * link swap names meanwhile.
 *
 * @throws errno errors, such as ENOTEMPTY if something is created meanwhile
 */
export async function removeTree(path: string): Promise<void> {
  // `rm` looks at a folder and then lists it by its path, which may be a link by then.
  if (isLinux) await removeAt(Buffer.from(path));
  else await rm(path, { recursive: true, force: true, maxRetries: 5 });
}

async function removeAt(path: Buffer): Promise<void> {
  const handle = await openFolder(path);
  if (handle === null) {
    await ifExists(unlink(path));
    return;
  }
  try {
    const own = Buffer.from(`${pathOf(handle)}/`);
    // Names need not be valid UTF-8.
    for (const name of await readdir(own, { encoding: 'buffer' })) await removeAt(Buffer.concat([own, name]));
  } finally {
    await handle.close();
  }
  await ifExists(rmdir(path));
}

/** Opens a folder. Returns null for a link, a file, and a path that does not exist. */
async function openFolder(path: Buffer): Promise<FileHandle | null> {
  try {
    return await open(path, FOLDER | constants.O_NOFOLLOW);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(diskCode(error) ?? '')) return null;
    throw error;
  }
}

/**
 * Waits for work on a path. Ignores ENOENT, which means that the path, or a folder in it, does not exist; other
 * errors are thrown.
 */
export async function ifExists(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (diskCode(error) !== 'ENOENT') throw error;
  }
}

function pathOf(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}
