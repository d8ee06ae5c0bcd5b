import { constants } from 'node:fs';
import { lstat, open, opendir, realpath, type FileHandle } from 'node:fs/promises';
import { diskCode } from '#master/templates/disk-problem.ts';
import { READ_ONLY_FILE } from '#shared/node/small-file.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import {
  isFileName,
  MAX_LISTED_FILES,
  type ServiceFile,
  type ServiceFiles,
} from '#shared/model/service-files.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { FilePiece } from '../runtime.ts';

const FOLDER = READ_ONLY_FILE | constants.O_DIRECTORY;

/** Location of a file: the folder of a service, and the path in this folder. */
interface Place {
  readonly id: ServiceId;
  /** The server's working directory. */
  readonly top: string;
  readonly path: string;
}

/**
 * Lists one page of a folder of a service on this machine, sorted by name (`Runtime.listFiles`): at most
 * `MAX_LISTED_FILES` entries after the name `after`; null for the first page. Follows no links.
 *
 * @throws OverworldError SERVICE_HAS_NO_FILES, FILE_NOT_FOUND, FILE_FORBIDDEN
 */
export function listFiles(place: Place, after: string | null): Promise<ServiceFiles> {
  return within(place, FOLDER, async (folder, own) => {
    const names: string[] = [];
    for await (const { name } of await opendir(own)) {
      if (isFileName(name) && (after === null || name > after)) names.push(name);
    }
    names.sort();
    const page = names.slice(0, MAX_LISTED_FILES);
    const entries = await Promise.all(page.map((name) => describe(`${own}/${name}`, name)));
    return { entries: entries.filter((entry) => entry !== null), more: names.length > page.length };
  });
}

/**
 * Returns kind, size and time of a file or folder of a service on this machine (`Runtime.describeFile`). Follows no
 * links.
 *
 * @throws OverworldError SERVICE_HAS_NO_FILES, FILE_NOT_FOUND, FILE_FORBIDDEN
 */
export function describeFile(place: Place): Promise<ServiceFile> {
  const cut = place.path.lastIndexOf('/');
  const name = place.path.slice(cut + 1);
  return within({ ...place, path: place.path.slice(0, Math.max(0, cut)) }, FOLDER, async (_folder, own) => {
    const found = await describe(`${own}/${name}`, name);
    if (found === null) throw new OverworldError('FILE_NOT_FOUND', { path: `${place.id}/${place.path}` });
    return found;
  });
}

/**
 * Returns a piece of a regular file of a service on this machine (`Runtime.readFile`): `length` bytes from the offset
 * `from`, or less at the end of the file. Follows no links.
 *
 * @throws OverworldError SERVICE_HAS_NO_FILES, FILE_NOT_FOUND, FILE_FORBIDDEN
 */
export function readFile(
  place: Place,
  { from, length }: { readonly from: number; readonly length: number },
): Promise<FilePiece> {
  return within(place, READ_ONLY_FILE, async (file) => {
    const stats = await file.stat();
    if (!stats.isFile()) throw forbidden(place, 'it is not a regular file');
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, from);
    return {
      content: buffer.subarray(0, bytesRead),
      bytes: stats.size,
      changedAt: Math.floor(stats.mtimeMs),
    };
  });
}

/** Describes an entry; null if it was deleted meanwhile, or if its name is not valid UTF-8. */
async function describe(path: string, name: string): Promise<ServiceFile | null> {
  const stats = await lstat(path).catch(() => null);
  if (stats === null) return null;
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
  return { name, kind, bytes: kind === 'file' ? stats.size : 0, changedAt: Math.floor(stats.mtimeMs) };
}

/**
 * Opens an object in the folder of a service, one path component at a time, so that no link is followed. The service
 * can create links anywhere, and can replace folders with links at any time.
 *
 * @param use receives the open object, and a path that reaches exactly this object
 */
async function within<T>(
  place: Place,
  flags: number,
  use: (handle: FileHandle, own: string) => Promise<T>,
): Promise<T> {
  const names = place.path === '' ? [] : place.path.split('/');
  let handle = await openTop(place);
  try {
    let own = await pathOf(handle, place.top);
    for (const [at, name] of names.entries()) {
      const inside = await openInside(place, `${own}/${name}`, at === names.length - 1 ? flags : FOLDER);
      await handle.close();
      handle = inside;
      own = await pathOf(handle, `${own}/${name}`);
    }
    return await use(handle, own);
  } catch (error) {
    throw toFileProblem(place, error);
  } finally {
    await handle.close();
  }
}

async function openTop({ id, top }: Place): Promise<FileHandle> {
  try {
    return await open(top, FOLDER);
  } catch (error) {
    if (diskCode(error) === 'ENOENT')
      throw new OverworldError('SERVICE_HAS_NO_FILES', { service: id }, error);
    throw error;
  }
}

function openInside(place: Place, path: string, flags: number): Promise<FileHandle> {
  return open(path, flags).catch((error: unknown) => {
    throw toFileProblem(place, error);
  });
}

/**
 * Returns a path that leads to exactly this open object. macOS has no such paths, so the ordinary path is used there
 * after a check. This is acceptable, because services on macOS run as the user of the app, who could open the target
 * of any link directly.
 */
async function pathOf(handle: FileHandle, path: string): Promise<string> {
  return process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : realpath(path);
}

function toFileProblem(place: Place, error: unknown): unknown {
  switch (diskCode(error)) {
    case 'ENOENT':
      return new OverworldError('FILE_NOT_FOUND', { path: `${place.id}/${place.path}` }, error);
    case 'ELOOP':
      return forbidden(place, 'it is a link', error);
    case 'ENOTDIR':
      return forbidden(place, 'it is not a folder', error);
    case 'EACCES':
      return forbidden(place, 'access is denied', error);
    case 'ENXIO':
      return forbidden(place, 'it is not a regular file', error);
    default:
      return error;
  }
}

function forbidden({ id, path }: Place, why: string, cause?: unknown): OverworldError {
  return new OverworldError('FILE_FORBIDDEN', { path: `${id}/${path}`, why }, cause);
}
