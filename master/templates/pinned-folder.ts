import { constants, readlinkSync, type Dirent } from 'node:fs';
import { lstat, open, readdir, realpath, rm, rmdir, unlink, type FileHandle } from 'node:fs/promises';
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
 * Returns the real path of a folder whose path should contain no links. On Linux, returns the given path unchanged.
 * If a link has replaced a part of it, later calls that compare the path with real paths fail. Other systems may
 * ignore upper and lower case in paths, so the real path is looked up there.
 */
export function realRootOf(path: string): Promise<string> {
  return isLinux ? Promise.resolve(path) : realpath(path);
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

/** Thrown if a part of a path is a link, so that the path leads to another folder than the one that it names. */
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

/**
 * Opens a folder, calls `work` with a path for system calls on it, and closes the folder afterwards. Does not follow
 * a link at the path. If {@link inExactFolder} or this function has opened the folder around it, no link is followed
 * at all. See {@link pinFolder} for the differences between systems.
 *
 * @returns whether a folder was at the path
 * @throws errno errors; what `work` throws
 */
export async function inPlainFolder(path: string, work: (path: string) => Promise<void>): Promise<boolean> {
  if (!isLinux) {
    if (!(await lstat(path)).isDirectory()) return false;
    await work(path);
    return true;
  }
  const handle = await openFolder(path);
  if (handle === null) return false;
  try {
    await work(pathOf(handle));
    return true;
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
 * Maximum number of folders that are open at the same time while a folder is removed. Few trees are nested more
 * deeply, so a folder is rarely opened twice.
 */
const MAX_OPEN_FOLDERS = 16;

interface OpenFolder {
  /** Name in the folder around it. It need not be valid UTF-8. */
  readonly name: Buffer;
  readonly handle: FileHandle;
  /** Entries that are not removed yet. */
  entries: Dirent<Buffer>[];
}

/** A folder around the open ones. It is opened again when its turn comes, and must then have the same identity. */
type ClosedFolder = Omit<OpenFolder, 'handle'> & { readonly identity: string };

/**
 * Removes a file, or a folder with everything in it. Does nothing if the path does not exist. On Linux, folders may
 * be nested to any depth, even if a path is too long for the system, or if not all folders can be open at the same
 * time. Links are never followed, even if a folder and a link swap names meanwhile.
 *
 * @param signal ends the removal of a folder early; then, an AbortError is thrown
 * @throws errno errors, such as ENOTEMPTY if something is created meanwhile; Error if a folder is moved meanwhile
 */
export async function removeTree(path: string, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  if (!isLinux) {
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
    return;
  }
  // `rm` looks at a folder and then lists it by its path, which may be a link by then.
  const folder = await openFolder(path);
  if (folder === null) await ifExists(unlink(path));
  else {
    await removeContent(folder, signal);
    await ifExists(rmdir(path));
  }
}

/**
 * Removes a file or folder of a folder, as {@link removeTree} does, even if a link replaces the folder meanwhile.
 *
 * @param folder real path of the folder
 * @throws FolderReplaced; errors of {@link removeTree}
 */
export function removeInside(folder: string, name: string): Promise<void> {
  return inExactFolder(folder, '', (at) => removeTree(join(at, name)));
}

/** Removes everything in a folder, and closes the folder. */
async function removeContent(top: FileHandle, signal?: AbortSignal): Promise<void> {
  const closed: ClosedFolder[] = [];
  const open: OpenFolder[] = [{ name: Buffer.alloc(0), handle: top, entries: [] }];
  try {
    for (let folder = open.at(-1), isNew = true; folder !== undefined; folder = open.at(-1)) {
      signal?.throwIfAborted();
      if (isNew) folder.entries = await readdir(pathOf(folder.handle), LISTING);
      const entry = folder.entries.pop();
      const inner = entry === undefined ? null : await removeUnlessFolder(folder.handle, entry);
      isNew = inner !== null;
      if (entry === undefined) await leaveFolder(open, closed);
      else if (inner !== null) {
        open.push({ name: entry.name, handle: inner, entries: [] });
        await closeFarFolder(open, closed);
      }
    }
  } finally {
    for (const { handle } of open) await handle.close();
  }
}

const LISTING = { encoding: 'buffer', withFileTypes: true } as const;

/** Removes an entry of the folder `parent`, unless the entry is a folder. If it is a folder, opens and returns it. */
async function removeUnlessFolder(parent: FileHandle, entry: Dirent<Buffer>): Promise<FileHandle | null> {
  const path = inside(parent, entry.name);
  const folder = entry.isDirectory() ? await openFolder(path) : null;
  if (folder === null) await ifExists(unlink(path));
  return folder;
}

/** Closes the outermost open folder if too many are open. */
async function closeFarFolder(open: OpenFolder[], closed: ClosedFolder[]): Promise<void> {
  const [far] = open;
  if (far === undefined || open.length <= MAX_OPEN_FOLDERS) return;
  const { handle, ...folder } = far;
  closed.push({ ...folder, identity: await identityOf(handle) });
  open.shift();
  await handle.close();
}

/** Closes the innermost folder, which is empty, and removes it from the folder around it. */
async function leaveFolder(open: OpenFolder[], closed: ClosedFolder[]): Promise<void> {
  const [left] = open.slice(-1);
  if (left === undefined) return;
  if (open.length === 1) {
    const around = closed.pop();
    if (around !== undefined) open.unshift({ ...around, handle: await openAround(left.handle, around) });
  }
  open.pop();
  await left.handle.close();
  const parent = open.at(-1);
  if (parent !== undefined) await ifExists(rmdir(inside(parent.handle, left.name)));
}

/**
 * Opens the folder around a folder.
 *
 * @throws Error if it is not the expected one, because the inner folder was moved
 */
async function openAround(inner: FileHandle, { identity }: ClosedFolder): Promise<FileHandle> {
  const folder = await openFolder(`${pathOf(inner)}/..`);
  if (folder !== null && (await identityOf(folder)) === identity) return folder;
  await folder?.close();
  throw new Error('a folder in it was moved while it was removed');
}

async function identityOf(handle: FileHandle): Promise<string> {
  const { dev, ino } = await handle.stat({ bigint: true });
  return `${dev}:${ino}`;
}

function inside(folder: FileHandle, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${pathOf(folder)}/`), name]);
}

/** Opens a folder. Returns null for a link, a file, and a path that does not exist. */
async function openFolder(path: string | Buffer): Promise<FileHandle | null> {
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
