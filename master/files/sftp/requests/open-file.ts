import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import type { PinnedEntry, FileArea, Leaf, PlacedPath } from '../jail/file-area.ts';
import type { OpenFile } from '../handles.ts';
import type { PoolBypass } from '../jail/pool-bypass.ts';
import { openFlag } from '../protocol/protocol.ts';
import { failure, notFound } from '../protocol/refusal.ts';
import { system } from '../jail/system-calls.ts';
import { toBytes } from '../protocol/virtual-path.ts';

/**
 * Permission bits of new files. If the client requests the owner's execute bit, for example for a start script,
 * {@link NEW_EXECUTABLE} applies instead.
 */
export const NEW_FILE = 0o640;
const NEW_EXECUTABLE = 0o750;

/**
 * Flag for `open`, so that the call does not block a thread on a pipe or device. Has no effect on regular files, and
 * does not exist on Windows.
 */
const O_NONBLOCK = (constants.O_NONBLOCK as number | undefined) ?? 0;
const O_NOCTTY = (constants.O_NOCTTY as number | undefined) ?? 0;
const O_NOFOLLOW = (constants.O_NOFOLLOW as number | undefined) ?? 0;

/** Returns whether opening with these flags may change something. */
export function writes(flags: number): boolean {
  return (flags & (openFlag.WRITE | openFlag.APPEND | openFlag.CREAT | openFlag.TRUNC)) !== 0;
}

/** Returns whether opening with these flags may create a file, or may remove the content of an existing file. */
export function replaces(flags: number): boolean {
  return (flags & (openFlag.CREAT | openFlag.TRUNC)) !== 0;
}

/** Fields of an OPEN request. */
export interface OpenRequest {
  readonly path: PlacedPath;
  readonly flags: number;
  readonly permissions: number | undefined;
  /**
   * Decides whether an open call that may change something runs on the event loop or in the thread pool. Default: in
   * the thread pool.
   */
  readonly changes?: PoolBypass;
}

/** An open regular file: its file descriptor and its size (bytes). */
type RegularFile = Pick<OpenFile, 'file' | 'size'>;

interface OpenedFile extends RegularFile {
  /** Whether opening the file has already created or truncated it. */
  readonly changed: boolean;
}

/**
 * Closes a file that was only read. The call is synchronous, because closing such a file never waits for the disk.
 */
export function closeOpened(file: number): void {
  closeSync(file);
}

/**
 * Opens or creates a regular file inside the jail. Follows links only if they stay inside the jail.
 *
 * @throws Refusal; errno errors
 */
export async function openInside(area: FileArea, request: OpenRequest): Promise<OpenedFile> {
  const leaf = await area.leaf(request.path);
  if (leaf !== null) {
    try {
      return await openLeaf(leaf, request);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error;
      // The object is a link. openByPin checks the link's target before it opens the target.
    } finally {
      leaf.close();
    }
  }
  return openByPin(area, request);
}

/**
 * Opens or creates a file through its parent folder, without pinning the file itself. This is safe, because the call
 * follows no link.
 */
async function openLeaf(leaf: Leaf, { flags, permissions, changes }: OpenRequest): Promise<OpenedFile> {
  const all = systemFlags(flags) | O_NOFOLLOW;
  const mode = newMode(permissions);
  const makes = (flags & openFlag.CREAT) !== 0;
  const exclusive = makes && (flags & openFlag.EXCL) !== 0;
  if (makes && (exclusive || (flags & openFlag.TRUNC) !== 0)) {
    const more = constants.O_CREAT | (exclusive ? constants.O_EXCL : 0);
    // Truncating always runs in the thread pool, because it takes longer for larger files.
    const run = exclusive ? changes?.run : undefined;
    return { ...(await openRegular(leaf, all | more, { mode, run })), changed: true };
  }
  // Opening a file for reading only looks up the name, which is a short call.
  const changing = (flags & openFlag.TRUNC) === 0 ? changes?.run : undefined;
  const run = writes(flags) ? changing : leaf.look;
  try {
    return { ...(await openRegular(leaf, all, { run })), changed: (flags & openFlag.TRUNC) !== 0 };
  } catch (error) {
    if (!makes || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return { ...(await openRegular(leaf, all | constants.O_CREAT, { mode, run })), changed: true };
  }
}

async function openRegular(
  entry: PinnedEntry,
  flags: number,
  {
    mode,
    run = (_now, later) => later(),
  }: { readonly mode?: number; readonly run?: PoolBypass['run'] | undefined },
): Promise<RegularFile> {
  const path = toBytes(entry.path);
  const file = await run(
    () => openSync(path, flags, mode),
    () => system.open(path, flags, mode),
  );
  // The kernel has the attributes of an open file in memory.
  const stats = fstatSync(file);
  if (stats.isFile()) return { file, size: stats.size };
  closeSync(file);
  throw notRegular(stats.isDirectory());
}

/**
 * Opens or creates a file in the cases that {@link openLeaf} cannot handle: links, the top of an area, and systems
 * that cannot pin a folder.
 */
async function openByPin(area: FileArea, request: OpenRequest): Promise<OpenedFile> {
  const exclusive = (request.flags & openFlag.CREAT) !== 0 && (request.flags & openFlag.EXCL) !== 0;
  const existing = exclusive ? undefined : await openExisting(area, request);
  if (existing !== undefined) {
    return { ...existing, changed: (request.flags & openFlag.TRUNC) !== 0 };
  }
  if ((request.flags & openFlag.CREAT) === 0) throw notFound();
  return { ...(await create(area, request)), changed: true };
}

/**
 * Opens an existing file. Follows links inside the jail.
 *
 * @returns undefined if nothing exists at the path
 */
async function openExisting(area: FileArea, { path, flags }: OpenRequest): Promise<RegularFile | undefined> {
  let pinned;
  try {
    pinned = await area.pin(path, true);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const stats = pinned.stat();
    if (!stats.isFile()) throw notRegular(stats.isDirectory());
    const file = await system.open(toBytes(pinned.path), systemFlags(flags) | pinned.openFlags);
    return { file, size: stats.size };
  } finally {
    pinned.close();
  }
}

async function create(area: FileArea, { path, flags, permissions }: OpenRequest): Promise<RegularFile> {
  const entry = await area.entry(path);
  try {
    const exclusive = (flags & openFlag.EXCL) === 0 ? 0 : constants.O_EXCL;
    const all = systemFlags(flags) | constants.O_CREAT | exclusive | O_NOFOLLOW;
    // openRegular refuses anything but a regular file, which another client may have created at the path in the
    // meantime.
    return await openRegular(entry, all, { mode: newMode(permissions) });
  } finally {
    entry.close();
  }
}

function newMode(permissions: number | undefined): number {
  return ((permissions ?? 0) & 0o100) === 0 ? NEW_FILE : NEW_EXECUTABLE;
}

function systemFlags(flags: number): number {
  const reads = (flags & openFlag.READ) !== 0;
  const writing = (flags & (openFlag.WRITE | openFlag.APPEND)) !== 0;
  const access = !writing ? constants.O_RDONLY : reads ? constants.O_RDWR : constants.O_WRONLY;
  const append = (flags & openFlag.APPEND) === 0 ? 0 : constants.O_APPEND;
  const truncate = (flags & openFlag.TRUNC) === 0 ? 0 : constants.O_TRUNC;
  return access | append | truncate | O_NONBLOCK | O_NOCTTY;
}

function notRegular(isFolder: boolean): Error {
  return failure(isFolder ? 'It is a folder' : 'It is not a regular file');
}
