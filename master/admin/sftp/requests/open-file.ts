import { constants, fstatSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { FileArea, PlacedPath } from '../file-area.ts';
import { openFlag } from '../protocol.ts';
import { failure, notFound } from '../refusal.ts';
import { toBytes } from '../virtual-path.ts';

/** Mode of new files; the owner's execute bit is kept when the client asks for it (start scripts). */
export const NEW_FILE = 0o640;
const NEW_EXECUTABLE = 0o750;

/** A pipe or device must not hold up a thread while it is opened; regular files do not care. Absent on Windows. */
const O_NONBLOCK = (constants.O_NONBLOCK as number | undefined) ?? 0;
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

/**
 * Opens or makes a regular file inside the jail.
 *
 * @returns the file, and whether opening it has already changed something (made or emptied)
 */
export async function openInside(
  area: FileArea,
  request: OpenRequest,
): Promise<{ readonly file: FileHandle; readonly changed: boolean }> {
  const exclusive = (request.flags & openFlag.CREAT) !== 0 && (request.flags & openFlag.EXCL) !== 0;
  const existing = exclusive ? undefined : await openExisting(area, request);
  if (existing !== undefined) {
    return { file: existing, changed: (request.flags & openFlag.TRUNC) !== 0 };
  }
  if ((request.flags & openFlag.CREAT) === 0) throw notFound();
  return { file: await create(area, request), changed: true };
}

/** @returns undefined when there is nothing at the path */
async function openExisting(area: FileArea, { path, flags }: OpenRequest): Promise<FileHandle | undefined> {
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
    return await open(toBytes(pinned.path), systemFlags(flags) | pinned.openFlags);
  } finally {
    pinned.close();
  }
}

async function create(area: FileArea, { path, flags, permissions }: OpenRequest): Promise<FileHandle> {
  const entry = await area.entry(path);
  try {
    const exclusive = (flags & openFlag.EXCL) === 0 ? 0 : constants.O_EXCL;
    const mode = ((permissions ?? 0) & 0o100) === 0 ? NEW_FILE : NEW_EXECUTABLE;
    const all = systemFlags(flags) | constants.O_CREAT | exclusive | O_NOFOLLOW;
    const file = await open(toBytes(entry.path), all, mode);
    // Only if somebody else made something there a moment ago is it not what we just made; never with O_EXCL.
    if (exclusive !== 0 || fstatSync(file.fd).isFile()) return file;
    await file.close();
    throw notRegular(false);
  } finally {
    entry.close();
  }
}

function systemFlags(flags: number): number {
  const reads = (flags & openFlag.READ) !== 0;
  const writing = (flags & (openFlag.WRITE | openFlag.APPEND)) !== 0;
  const access = !writing ? constants.O_RDONLY : reads ? constants.O_RDWR : constants.O_WRONLY;
  const append = (flags & openFlag.APPEND) === 0 ? 0 : constants.O_APPEND;
  const truncate = (flags & openFlag.TRUNC) === 0 ? 0 : constants.O_TRUNC;
  return access | append | truncate | O_NONBLOCK;
}

function notRegular(isFolder: boolean): Error {
  return failure(isFolder ? 'It is a folder' : 'It is not a regular file');
}
