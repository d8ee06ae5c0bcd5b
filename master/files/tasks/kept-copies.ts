import { mkdir, readdir, rename } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { freeName } from '#shared/free-name.ts';
import { timeNameOf } from '#shared/model/file-views.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { removeInside } from '#master/templates/pinned-folder.ts';
import { codeOf, withFileErrors } from '../file-errors.ts';
import type { FileArea, PlacedPath } from '../sftp/jail/file-area.ts';
import type { Pinned } from '../sftp/jail/pin.ts';
import { fromText, toBytes, toText } from '../sftp/protocol/virtual-path.ts';
import { toPath, toPlaced } from '../walk.ts';
import { copy } from './copy.ts';
import { withoutProgress, type Work } from './tasks.ts';

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
  /** Path of the same folder in the jail of the staging folders (fetch/staging.ts). */
  readonly staged: string;
  /** Time of the copy (ms since epoch). In UTC, it becomes the name of the copy. */
  readonly at: number;
}

/**
 * Moves a complete copy to `/files/service-copies/<id>/<time>`. If the shared files are on another disk than the
 * staging folders, copies the files there.
 *
 * @param from jail of the staging folders; null if there are none: the copy must then be on the disk of the shared
 *   files
 * @returns the path of the copy as users see it
 * @throws OverworldError FILE_FORBIDDEN; errno errors; for a copy to another disk, errors of {@link copy}
 */
export async function storeCopy(
  { area, from }: { readonly area: FileArea; readonly from: FileArea | null },
  complete: CompleteCopy,
  work: Work,
): Promise<string> {
  const place = inCopies(complete.id);
  await makeFolder(area, place);
  const folder = await withFileErrors(toPath(place), () => area.folder(place));
  try {
    const taken = new Set(await readdir(toText(folder.path)));
    const name = freeName(timeNameOf(new Date(complete.at).toISOString()), taken);
    const target = toBytes(`${folder.path}/${fromText(name)}`);
    try {
      await rename(complete.path, target);
    } catch (error) {
      if (codeOf(error) !== 'EXDEV' || from === null) throw error;
      await copyToDisk({ area, from, folder, place, staged: complete.staged }, target, work);
    }
    return `${toPath(place)}/${name}`;
  } finally {
    folder.close();
  }
}

interface DiskCopy extends Pick<CompleteCopy, 'staged'> {
  readonly area: FileArea;
  readonly from: FileArea;
  /** The folder around the final folder. */
  readonly folder: Pinned;
  readonly place: PlacedPath;
}

/** Copies a staging folder under its own name, which is hidden, and renames the copy when it is complete. */
async function copyToDisk(
  { area, from, folder, place, staged }: DiskCopy,
  target: Buffer,
  work: Work,
): Promise<void> {
  const name = toPlaced(staged).names.at(-1) ?? '';
  const request = { paths: [staged], folder: toPath(place), onConflict: 'refuse', from } as const;
  try {
    await copy(area, { ...request, onEnd: () => undefined }, withoutProgress(work));
    await rename(toBytes(`${folder.path}/${name}`), target);
  } catch (error) {
    await removeInside(toText(folder.real), toText(name));
    throw error;
  }
}

function inCopies(name: string): PlacedPath {
  return { area: 'files', names: [...COPIES.names, fromText(name)] };
}

async function namesIn(area: FileArea, place: PlacedPath): Promise<readonly string[]> {
  try {
    const folder = await area.folder(place);
    try {
      // A hidden folder is an incomplete copy to another disk, left by a master that was killed.
      return (await readdir(toText(folder.path))).filter((name) => !name.startsWith('.'));
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
