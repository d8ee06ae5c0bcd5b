import type { Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { FileArea, PlacedPath } from './sftp/file-area.ts';
import type { Pinned } from './sftp/pin.ts';
import { failure } from './sftp/refusal.ts';
import {
  areas,
  formatPath,
  parsePath,
  toBytes,
  toText,
  fromText,
  type ByteString,
  type VirtualPath,
} from './sftp/virtual-path.ts';
import { isOwnTemporary } from '#master/templates/upload-names.ts';
import { codeOf, toFileError, withFileErrors } from './file-errors.ts';

/** More than any real server has; keeps a wrong folder from eating the master's memory (contract). */
export const MAX_ENTRIES = 200_000;

/** Entries that are looked at together. */
const BATCH = 32;

/** Something below the folder where a walk began. */
export interface Found {
  readonly place: PlacedPath;
  /** Relative to where the walk began, text for people, with `/`. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly stats: Stats;
}

/** A path as people and the contract name it. @throws OverworldError FILE_NOT_FOUND, FILE_FORBIDDEN */
export function toPlace(path: string): VirtualPath {
  try {
    return parsePath(fromText(path));
  } catch (error) {
    throw toFileError(error, path);
  }
}

/** @throws OverworldError FILE_FORBIDDEN for the top */
export function toPlaced(path: string): PlacedPath {
  const place = toPlace(path);
  if (place.area === null) {
    throw new OverworldError('FILE_FORBIDDEN', { path, why: 'the top holds only /templates and /files' });
  }
  return place;
}

export function toPath(place: PlacedPath): string {
  return toText(formatPath(place));
}

/**
 * All that lies below a folder, a folder before what is in it. Links are told of and never followed, files on their
 * way of our own are left out, and what vanishes meanwhile is as if it had never been there. Holds one folder open at
 * a time, and none while the caller works on what it got.
 *
 * @throws OverworldError FILE_NOT_FOUND, FILE_FORBIDDEN, TOO_MANY; the signal's reason
 */
export async function* walk(area: FileArea, start: VirtualPath, signal: AbortSignal): AsyncGenerator<Found> {
  const waiting: { readonly place: PlacedPath; readonly path: string }[] =
    start.area === null
      ? areas.map((name) => ({ place: { area: name, names: [] }, path: name }))
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
): Promise<Found[]> {
  let folder: Pinned;
  try {
    // Where a walk begins may be reached through a link that stays inside; below it none is followed.
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
      return await describeAll(at, folder, await namesIn(folder, room));
    });
  } finally {
    folder.close();
  }
}

async function namesIn(folder: Pinned, room: number): Promise<ByteString[]> {
  const names: ByteString[] = [];
  for await (const { name } of await opendir(toText(folder.path), {
    encoding: 'latin1',
    bufferSize: BATCH,
  })) {
    if (isOwnTemporary(name)) continue;
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
): Promise<Found[]> {
  const found: Found[] = [];
  for (let from = 0; from < names.length; from += BATCH) {
    const some = await Promise.all(
      names.slice(from, from + BATCH).map(async (name): Promise<Found | null> => {
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

export function kindOf(stats: Stats): Found['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}
