import type { Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { FileArea, PlacedPath } from './sftp/jail/file-area.ts';
import type { Pinned } from './sftp/jail/pin.ts';
import { failure } from './sftp/protocol/refusal.ts';
import {
  formatPath,
  isInView,
  parsePath,
  toBytes,
  toText,
  fromText,
  type ByteString,
  type VirtualPath,
} from './sftp/protocol/virtual-path.ts';
import { isOwnTemporary } from '#master/templates/upload-names.ts';
import { codeOf, toFileError, withFileErrors } from './file-errors.ts';

/**
 * Maximum number of entries that one walk visits (contract with the app). No real server has so many entries. The
 * limit protects the master's memory.
 */
export const MAX_ENTRIES = 200_000;

/** Number of entries that are examined in parallel. */
const BATCH = 32;

/** An entry below the folder in which a walk starts. */
export interface WalkEntry {
  readonly place: PlacedPath;
  /** Path relative to the start of the walk, as text with `/`. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly stats: Stats;
}

/** The root of the file area, or a path in the file area that exists on disk. */
type Place = PlacedPath | { readonly area: null };

/**
 * Parses a path in the form that users and the API write. Does not access the disk.
 *
 * @throws OverworldError FILE_NOT_FOUND, FILE_FORBIDDEN; FILE_FORBIDDEN also for the files of services and volumes
 */
export function toPlace(path: string): Place {
  const parsed = parse(path);
  if (isInView(parsed)) {
    const why = 'files of services and volumes are only available over SFTP';
    throw new OverworldError('FILE_FORBIDDEN', { path, why });
  }
  return parsed;
}

function parse(path: string): VirtualPath {
  try {
    return parsePath(fromText(path));
  } catch (error) {
    throw toFileError(error, path);
  }
}

/** Parses a path as {@link toPlace} does, but refuses the root. @throws OverworldError FILE_FORBIDDEN for the root */
export function toPlaced(path: string): PlacedPath {
  const place = toPlace(path);
  if (place.area === null) {
    throw new OverworldError('FILE_FORBIDDEN', {
      path,
      why: 'the root folder contains only /templates and /files',
    });
  }
  return place;
}

/** Returns a path in the form that users and the API write, such as `/templates/lobby/server.jar`. */
export function toPath(place: PlacedPath): string {
  return toText(formatPath(place));
}

/**
 * Yields everything below a folder, each folder before its content. Links are listed and never followed. Omits
 * Overworld's own temporary files, and entries that vanish during the walk. At most one folder is open at a time, and
 * none while the caller processes an entry.
 *
 * @throws OverworldError FILE_NOT_FOUND, FILE_FORBIDDEN, TOO_MANY; the signal's abort reason
 */
export async function* walk(area: FileArea, start: Place, signal: AbortSignal): AsyncGenerator<WalkEntry> {
  const waiting: { readonly place: PlacedPath; readonly path: string }[] =
    start.area === null
      ? area.areas.map((name) => ({ place: { area: name, names: [] }, path: name }))
      : [{ place: start, path: '' }];
  const first = new Set(waiting);
  let count = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted();
    const entries = await read(area, folder, { isStart: first.has(folder), room: MAX_ENTRIES - count });
    count += entries.length;
    for (const entry of entries) {
      if (entry.kind === 'folder') waiting.push(entry);
      yield entry;
    }
  }
}

async function read(
  area: FileArea,
  at: { readonly place: PlacedPath; readonly path: string },
  { isStart, room }: { readonly isStart: boolean; readonly room: number },
): Promise<WalkEntry[]> {
  let folder: Pinned;
  try {
    // A link that stays inside the jail is followed only if the walk starts at it.
    folder = await area.pin(at.place, isStart);
  } catch (error) {
    if (!isStart && codeOf(error) === 'ENOENT') return [];
    throw toFileError(error, toPath(at.place));
  }
  try {
    return await withFileErrors(toPath(at.place), async () => {
      if (!folder.stat().isDirectory()) {
        if (isStart) throw failure('It is not a folder');
        return [];
      }
      return await describeAll(at, folder, await namesIn(area, folder, room));
    });
  } finally {
    folder.close();
  }
}

async function namesIn(area: FileArea, folder: Pinned, room: number): Promise<ByteString[]> {
  const names: ByteString[] = [];
  for await (const { name } of await opendir(toText(folder.path), {
    encoding: 'latin1',
    bufferSize: BATCH,
  })) {
    if (isOwnTemporary(name) || !area.shows(folder, name)) continue;
    if (names.length >= room)
      throw new OverworldError('TOO_MANY', { what: 'files and folders', limit: MAX_ENTRIES });
    names.push(name);
  }
  return names;
}

async function describeAll(
  at: { readonly place: PlacedPath; readonly path: string },
  folder: Pinned,
  names: readonly ByteString[],
): Promise<WalkEntry[]> {
  const found: WalkEntry[] = [];
  for (let from = 0; from < names.length; from += BATCH) {
    const some = await Promise.all(
      names.slice(from, from + BATCH).map(async (name): Promise<WalkEntry | null> => {
        const stats = await lstatIfThere(`${folder.path}/${name}`);
        if (stats === null) return null;
        const place: PlacedPath = { area: at.place.area, names: [...at.place.names, name] };
        const text = toText(name);
        return { place, path: at.path === '' ? text : `${at.path}/${text}`, kind: kindOf(stats), stats };
      }),
    );
    found.push(...some.filter((one) => one !== null));
  }
  return found;
}

async function lstatIfThere(path: ByteString): Promise<Stats | null> {
  try {
    return await lstat(toBytes(path));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Returns the kind of an object of the file system. A link has the kind `link`, whatever its target is. */
export function kindOf(stats: Stats): WalkEntry['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}
