import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { z } from 'zod';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { MOVE_MARK_PATH } from '#shared/move-mark.ts';
import { OBSERVED_ANEW } from '#master/store/observed-anew.ts';
import { copyNewFile, hashFile } from '#master/templates/copy-file.ts';
import { readRecord } from '#master/templates/revisions/revision-record.ts';
import { objectPath } from '../stage/object-pool.ts';
import { DamagedContents } from './damaged-contents.ts';
import { detachOwnMachine } from './detach-own.ts';
import {
  EDITED_FOLDERS,
  FORMAT,
  manifestSchema,
  OBJECTS,
  ownObjects,
  PLAIN_FOLDERS,
  REVISION_FOLDERS,
  treeEntrySchema,
  type BackupManifest,
} from '../tree.ts';

const PARALLEL_HASHES = 2;
const PARALLEL_FILES = 8;

interface Source {
  /** Folder with the files of the fetched backup. */
  readonly fetched: string;
  /** Aborts the unpacking before the next file. */
  readonly signal: AbortSignal | undefined;
  readonly damaged: DamagedContents;
}

/** Thrown if a part of a backup is missing or cannot be read. The message is the second half of a sentence. */
export class BackupDamaged extends Error {}

/** Reads the manifest of a fetched backup. @throws BackupDamaged */
export async function readManifest(fetched: string): Promise<BackupManifest> {
  const manifest = await parsed(join(fetched, 'manifest.json'), manifestSchema);
  if (manifest.format === FORMAT) return manifest;
  throw new BackupDamaged(`it was made by version ${manifest.version} in another layout`);
}

/**
 * Builds a data folder from a fetched backup. Checks that no content is missing. Reports the files whose contents are
 * damaged: one damaged file must not prevent the restore of all others. Sets the move mark, because the master may now
 * be on another machine, and the nodes may reject connections from that machine.
 *
 * @param fetched folder with the files of the backup; some of them are moved
 * @param built folder to create, on the same disk
 * @param signal aborts the unpacking before the next file
 * @returns remarks about lost and damaged data, in full sentences
 * @throws BackupDamaged; the reason of `signal`; errno errors
 */
export async function unpack(fetched: string, built: string, signal?: AbortSignal): Promise<string[]> {
  const { objects } = await readManifest(fetched);
  const source: Source = { fetched, signal, damaged: new DamagedContents() };
  await gatherObjects(source, objects);
  await mkdir(built, { recursive: true, mode: 0o700 });
  for (const name of PLAIN_FOLDERS) await rename(join(fetched, name), join(built, name));
  // Backups of earlier versions may contain these files.
  for (const name of OBSERVED_ANEW) await rm(join(built, 'state', name), { force: true });
  // Backups of earlier versions have no logs.
  if (existsSync(join(fetched, 'logs'))) await rename(join(fetched, 'logs'), join(built, 'logs'));
  const losses: string[] = [];
  for (const name of REVISION_FOLDERS)
    losses.push(...(await unpackRevisions(source, join(built, name), name)));
  for (const name of EDITED_FOLDERS) await unpackTree(source, join(built, name), name);
  await mkdir(dirname(join(built, MOVE_MARK_PATH)), { recursive: true, mode: 0o700 });
  await writeFile(join(built, MOVE_MARK_PATH), '', { mode: 0o600 });
  return [...losses, ...source.damaged.remarks()];
}

/**
 * Checks that a backup has all contents, and finds those that do not have the right hash. Moves the contents that were
 * on a disk of their own to the other contents.
 *
 * @param count number of contents
 */
async function gatherObjects({ fetched, signal, damaged }: Source, count: number): Promise<void> {
  const folders = [OBJECTS, ...REVISION_FOLDERS.map(ownObjects)].map((path) => join(fetched, path));
  const objects = (await Promise.all(folders.map(filesIn))).flat();
  if (objects.length < count) throw new BackupDamaged(`it has ${objects.length} of ${count} contents`);
  await forEachLimited(objects, PARALLEL_HASHES, async (path) => {
    signal?.throwIfAborted();
    const name = basename(path);
    if ((await hashFile(path)) !== name) damaged.add(name);
    const place = objectPath(join(fetched, OBJECTS), name);
    if (path === place) return;
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    await rename(path, place);
  });
}

/** Lists the paths of all files in a folder, recursively. Returns an empty list if the folder does not exist. */
async function filesIn(folder: string): Promise<string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return all.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** Builds the folder of revision stores `folder`: the documents and records, and the files that the records name. */
async function unpackRevisions(source: Source, to: string, folder: string): Promise<string[]> {
  const from = join(source.fetched, folder);
  const losses: string[] = [];
  await mkdir(to, { recursive: true, mode: 0o700 });
  // A network without volumes has no such folder.
  for (const file of (await filesIn(from)).sort()) {
    source.signal?.throwIfAborted();
    const name = basename(file);
    const path = file.slice(from.length + 1);
    const target = join(to, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    if (/^[0-9a-f]{16}\.json$/.test(name)) await unpackRevision(source, join(folder, path), target);
    await rename(file, target);
    if (name !== 'volume.json') continue;
    const loss = await detachOwnMachine(target, dirname(path));
    if (loss !== null) losses.push(loss);
  }
  return losses;
}

/** @param path path of the record in the backup, and in the data folder */
async function unpackRevision(
  { fetched, signal, damaged }: Source,
  path: string,
  target: string,
): Promise<void> {
  const record = await readRecord(join(fetched, path));
  if (record === null) throw new BackupDamaged(`${path} cannot be read`);
  const folder = join(dirname(target), record.revision);
  await mkdir(folder, { mode: 0o700 });
  const files = record.entries.filter(({ path }) => !path.endsWith('/'));
  const folders = record.entries.filter(({ path }) => path.endsWith('/')).map(({ path }) => path);
  for (const inner of new Set([...folders, ...files.map((file) => dirname(file.path))]))
    await mkdir(within(folder, inner), { recursive: true, mode: 0o700 });
  await forEachLimited(files, PARALLEL_FILES, async (file) => {
    signal?.throwIfAborted();
    const to = within(folder, file.path);
    await fromObject(fetched, file.hash, async (object) => {
      await link(object, to).catch((error: unknown) => {
        // The file system limits the number of links to a file.
        if ((error as NodeJS.ErrnoException).code !== 'EMLINK') throw error;
        return copyNewFile(object, to, file.mode);
      });
    });
    damaged.note(file.hash, join(dirname(path), record.revision, file.path));
  });
}

/**
 * Builds a folder that people edit. Its files are copies and not hard links, because people can change them, and
 * contents of saves and revisions must never change.
 */
async function unpackTree({ fetched, signal, damaged }: Source, to: string, name: string): Promise<void> {
  const entries = await parsed(join(fetched, `${name}.json`), z.array(treeEntrySchema));
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const entry of entries)
    if (entry.type === 'folder')
      await mkdir(within(to, entry.path), { recursive: true, mode: entry.mode | 0o700 });
  await forEachLimited(entries, PARALLEL_FILES, async (entry) => {
    signal?.throwIfAborted();
    if (entry.type !== 'file') return;
    const path = within(to, entry.path);
    await fromObject(fetched, entry.hash, (object) => copyNewFile(object, path, entry.mode));
    await chmod(path, entry.mode);
    await utimes(path, entry.modifiedAtMs / 1000, entry.modifiedAtMs / 1000);
    damaged.note(entry.hash, join(name, entry.path));
  });
  // Symbolic links are created last, so that no file is written through a link.
  for (const entry of entries) if (entry.type === 'link') await symlink(entry.target, within(to, entry.path));
}

async function fromObject(
  fetched: string,
  hash: string,
  use: (object: string) => Promise<void>,
): Promise<void> {
  try {
    await use(objectPath(join(fetched, OBJECTS), hash));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new BackupDamaged(`the content ${hash} is missing`);
  }
}

/** Returns the path of an entry in a folder. @throws BackupDamaged if it leads out of the folder */
function within(folder: string, path: string): string {
  const normal = normalize(path);
  if (normal.startsWith('/') || normal.split('/').includes('..'))
    throw new BackupDamaged(`the path ${path} leads out of its folder`);
  return join(folder, normal);
}

async function parsed<T>(path: string, schema: z.ZodType<T>): Promise<T> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const why = error instanceof z.ZodError ? 'it is not of the expected form' : String(error);
    throw new BackupDamaged(`${path.slice(path.lastIndexOf('/') + 1)} cannot be read (${why})`);
  }
}
