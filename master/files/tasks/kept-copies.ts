import { mkdir, readdir, rename } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { freeName } from '#shared/free-name.ts';
import { timeNameOf } from '#shared/model/file-views.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { codeOf, withFileErrors } from '../file-errors.ts';
import type { FileArea, PlacedPath } from '../sftp/jail/file-area.ts';
import { fromText, toBytes, toText } from '../sftp/protocol/virtual-path.ts';
import { toPath } from '../walk.ts';

/** Folder in the shared files that contains the copies of services' files. */
const COPIES: PlacedPath = { area: 'files', names: ['service-copies'] };

/** Maximum number of copies. The master never deletes a copy, because a person has requested each of them. */
const MAX_COPIES = 50;

/**
 * Checks that one more copy may be stored.
 *
 * @throws OverworldError SERVICE_COPIES_FULL, FILE_FORBIDDEN
 */
export async function requirePlaceForCopy(area: FileArea): Promise<void> {
  await makeFolder(area, COPIES);
  const services = await namesIn(area, COPIES);
  const counts = await Promise.all(services.map((name) => namesIn(area, inCopies(name))));
  if (counts.reduce((sum, { length }) => sum + length, 0) >= MAX_COPIES)
    throw new OverworldError('SERVICE_COPIES_FULL', { folder: toPath(COPIES), limit: MAX_COPIES });
}

/** A complete copy that is not in its final folder yet. */
export interface CompleteCopy {
  readonly id: ServiceId;
  /** Folder of the copy on the master's disk. It is moved to its final folder. */
  readonly path: string;
  /** Time of the copy (ms since epoch). In UTC, it becomes the name of the copy. */
  readonly at: number;
}

/**
 * Moves a complete copy to `/files/service-copies/<id>/<time>`.
 *
 * @returns the path of the copy as users see it
 * @throws OverworldError FILE_FORBIDDEN; errno errors
 */
export async function storeCopy(area: FileArea, { id, path, at }: CompleteCopy): Promise<string> {
  const place = inCopies(id);
  await makeFolder(area, place);
  const folder = await withFileErrors(toPath(place), () => area.folder(place));
  try {
    const taken = new Set(await readdir(toText(folder.path)));
    const name = freeName(timeNameOf(new Date(at).toISOString()), taken);
    await rename(path, toBytes(`${folder.path}/${fromText(name)}`));
    return `${toPath(place)}/${name}`;
  } finally {
    folder.close();
  }
}

function inCopies(name: string): PlacedPath {
  return { area: 'files', names: [...COPIES.names, fromText(name)] };
}

async function namesIn(area: FileArea, place: PlacedPath): Promise<readonly string[]> {
  try {
    const folder = await area.folder(place);
    try {
      return await readdir(toText(folder.path));
    } finally {
      folder.close();
    }
  } catch {
    // The object is a file, or a folder that was deleted meanwhile, so it contains no copies.
    return [];
  }
}

async function makeFolder(area: FileArea, place: PlacedPath): Promise<void> {
  await withFileErrors(toPath(place), async () => {
    const entry = await area.entry(place);
    try {
      await mkdir(toBytes(entry.path), 0o700);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    } finally {
      entry.close();
    }
  });
}
