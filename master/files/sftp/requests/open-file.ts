import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import type { Entry, FileArea, Leaf, PlacedPath } from '../file-area.ts';
import { openFlag } from '../protocol.ts';
import { failure, notFound } from '../refusal.ts';
import { system } from '../system-calls.ts';
import { toBytes } from '../virtual-path.ts';

/** Mode of new files; the owner's execute bit is kept when the client asks for it (start scripts). */
export const NEW_FILE = 0o640;
const NEW_EXECUTABLE = 0o750;

/** A pipe or device must not hold up a thread while it is opened; regular files do not care. Absent on Windows. */
const O_NONBLOCK = (constants.O_NONBLOCK as number | undefined) ?? 0;
const O_NOCTTY = (constants.O_NOCTTY as number | undefined) ?? 0;
const O_NOFOLLOW = (constants.O_NOFOLLOW as number | undefined) ?? 0;

/** True when opening with these flags may change something. */
export function writes(flags: number): boolean {
  return (flags & (openFlag.WRITE | openFlag.APPEND | openFlag.CREAT | openFlag.TRUNC)) !== 0;
}

/** What OPEN asks for. */
export interface OpenRequest {
  readonly path: PlacedPath;
  readonly flags: number;
  readonly permissions: number | undefined;
}

/** An open regular file, by its number at the operating system. */
interface OpenedFile {
  readonly file: number;
  /** True when opening it has already changed something (made or emptied). */
  readonly changed: boolean;
}

/** Closes a file that was only read: that waits for no disk. */
export function closeOpened(file: number): void {
  closeSync(file);
}

/** Opens or makes a regular file inside the jail. */
export async function openInside(area: FileArea, request: OpenRequest): Promise<OpenedFile> {
  const leaf = await area.leaf(request.path);
  if (leaf !== null) {
    try {
      return await openLeaf(leaf, request);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error;
      // A link: where it leads has to be looked at first.
    } finally {
      leaf.close();
    }
  }
  return openByPin(area, request);
}

/** In one call, as nothing on the way is followed. */
async function openLeaf(leaf: Leaf, { flags, permissions }: OpenRequest): Promise<OpenedFile> {
  const all = systemFlags(flags) | O_NOFOLLOW;
  const mode = newMode(permissions);
  const makes = (flags & openFlag.CREAT) !== 0;
  const exclusive = makes && (flags & openFlag.EXCL) !== 0;
  if (makes && (exclusive || (flags & openFlag.TRUNC) !== 0)) {
    const more = constants.O_CREAT | (exclusive ? constants.O_EXCL : 0);
    return { file: await openRegular(leaf, all | more, { mode }), changed: true };
  }
  // To read a file only its name has to be looked up.
  const look = writes(flags) ? undefined : leaf.look.bind(leaf);
  try {
    return { file: await openRegular(leaf, all, { look }), changed: (flags & openFlag.TRUNC) !== 0 };
  } catch (error) {
    if (!makes || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return { file: await openRegular(leaf, all | constants.O_CREAT, { mode }), changed: true };
  }
}

async function openRegular(
  entry: Entry,
  flags: number,
  {
    mode,
    look = (_now, later) => later(),
  }: { readonly mode?: number; readonly look?: Leaf['look'] | undefined },
): Promise<number> {
  const path = toBytes(entry.path);
  const file = await look(
    () => openSync(path, flags),
    () => system.open(path, flags, mode),
  );
  // The kernel has it in memory.
  const stats = fstatSync(file);
  if (stats.isFile()) return file;
  closeSync(file);
  throw notRegular(stats.isDirectory());
}

/** For what {@link openLeaf} cannot do: links, the top of an area, systems that cannot hold a folder fast. */
async function openByPin(area: FileArea, request: OpenRequest): Promise<OpenedFile> {
  const exclusive = (request.flags & openFlag.CREAT) !== 0 && (request.flags & openFlag.EXCL) !== 0;
  const existing = exclusive ? undefined : await openExisting(area, request);
  if (existing !== undefined) {
    return { file: existing, changed: (request.flags & openFlag.TRUNC) !== 0 };
  }
  if ((request.flags & openFlag.CREAT) === 0) throw notFound();
  return { file: await create(area, request), changed: true };
}

/** @returns undefined when there is nothing at the path */
async function openExisting(area: FileArea, { path, flags }: OpenRequest): Promise<number | undefined> {
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
    return await system.open(toBytes(pinned.path), systemFlags(flags) | pinned.openFlags);
  } finally {
    pinned.close();
  }
}

async function create(area: FileArea, { path, flags, permissions }: OpenRequest): Promise<number> {
  const entry = await area.entry(path);
  try {
    const exclusive = (flags & openFlag.EXCL) === 0 ? 0 : constants.O_EXCL;
    const all = systemFlags(flags) | constants.O_CREAT | exclusive | O_NOFOLLOW;
    // Somebody else may have made something there a moment ago.
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
