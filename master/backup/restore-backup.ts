import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import { acquireLease } from '#master/store/lease.ts';
import { listTree, LOST_AND_FOUND } from '#master/store/list-tree.ts';
import { adoptRetention } from './configure.ts';
import { withBackupLock } from './lock.ts';
import { requireOneDisk } from './one-disk.ts';
import { backupPlaces } from './places.ts';
import { putInPlace } from './put-in-place.ts';
import {
  fetchBackup,
  listBackups,
  removeOldLocks,
  toRepositoryError,
  type StoredBackup,
} from './repository/repository.ts';
import { Restic } from './repository/restic.ts';
import { hasHostKey, isCutOff, openRestoreNote } from './restore-note.ts';
import { requireSettings } from './settings.ts';
import { BackupDamaged, readManifest, unpack } from './unpack/unpack.ts';

/** Folders of the data folder that contain no data of the network. */
const NO_DATA = new Set(['backup', 'run', LOST_AND_FOUND]);

export interface RestoreOptions {
  readonly dataFolder: string;
  /** Id of the backup. Default: the newest backup. */
  readonly backup: string | undefined;
  /** Whether existing data may be moved aside. If false, a restore is refused if the folder contains data. */
  readonly replace: boolean;
  /** Reports whether a version of the master is newer than this one. */
  readonly isNewer: (version: string) => boolean;
  /** Aborts the restore. It has no effect once the first folder has been moved. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the next step, in a few words. */
  readonly onStep?: (step: string) => void;
  /** Returns the wall-clock time (ms since epoch). */
  readonly now?: () => number;
}

/** A backup that was restored. */
export interface RestoredBackup {
  readonly id: string;
  /** When the backup was made (ms since epoch). */
  readonly at: number;
  /** Version of the master that made it. */
  readonly version: string;
  readonly remarks: readonly string[];
  /** Folder to which the existing data was moved. Null if there was none. */
  readonly replaced: string | null;
}

/**
 * Restores a backup to a data folder on which no master runs. The data folder is changed only after the whole backup
 * was fetched and verified. The configuration is put into place last; until then, no master starts with the folder.
 * If the machine fails in between, the next restore moves the parts that are already in place aside. An aborted
 * restore throws RESTORE_REFUSED, or BACKUP_REPOSITORY_FAILED if the backup was still being fetched.
 *
 * @throws OverworldError MASTER_ALREADY_RUNNING, RESTORE_REFUSED, RESTORE_DAMAGED, RESTORE_INCOMPLETE,
 * BACKUP_NOT_FOUND, BACKUP_AMBIGUOUS, BACKUP_RUNNING, BACKUP_NOT_CONFIGURED, BACKUP_REPOSITORY_FAILED,
 * BACKUP_REPOSITORY_LOCKED, RESTIC_MISSING; errno errors
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoredBackup> {
  const { dataFolder } = options;
  const { repository } = await requireSettings(dataFolder);
  const lease = await acquireLease(dataFolder);
  try {
    return await withBackupLock(backupPlaces(dataFolder).folder, () => restore(options, repository));
  } catch (error) {
    throw toRepositoryError(error, repository);
  } finally {
    await lease.release();
  }
}

async function restore(options: RestoreOptions, repository: string): Promise<RestoredBackup> {
  const { dataFolder, signal, onStep = () => undefined, now = Date.now } = options;
  const places = backupPlaces(dataFolder);
  await requireOneDisk(dataFolder);
  const note = await openRestoreNote(dataFolder);
  const existing = await findData(dataFolder);
  if (existing !== null && !options.replace && !isCutOff(note.data, dataFolder)) {
    const advice = 'To move the existing data aside and restore the backup, add --replace.';
    throw new OverworldError('RESTORE_REFUSED', {
      folder: dataFolder,
      why: `it contains ${existing}`,
      advice,
    });
  }
  const restic = await Restic.open(repository, places);
  const chosen = chooseBackup(await listBackups(restic), options.backup);
  await rm(places.restore, { recursive: true, force: true });
  try {
    const [fetched, built] = [join(places.restore, 'fetched'), join(places.restore, 'built')];
    onStep('Fetching the backup');
    // The lost server may have failed while it had locked the repository.
    await removeOldLocks(restic, now());
    await fetchBackup(restic, chosen, { folder: fetched, signal });
    onStep('Verifying and unpacking it');
    const { version, remarks, retention } = await readManifest(fetched);
    if (options.isNewer(version)) {
      const why = `a master of version ${version} made this backup, which is newer than this one`;
      throw new OverworldError('RESTORE_REFUSED', {
        folder: dataFolder,
        why,
        advice: `Install version ${version} or a newer one.`,
      });
    }
    const losses = await unpack(fetched, built, signal);
    await flushDisk(places.restore, signal);
    const aside = freeFolder(join(places.folder, `replaced-by-${chosen.id}`));
    const replaced = existing === null ? [] : (await topLevel(dataFolder)).map(({ name }) => name);
    const before = note.data;
    const { id: backup, at, network } = chosen;
    const what = { repository, backup, at, network, replaces: hasHostKey(dataFolder) };
    // From here on, the signal has no effect, because a half-finished restore would be worse than a complete one.
    signal?.throwIfAborted();
    if (retention !== undefined) await adoptRetention(dataFolder, retention);
    await note.update(() => ({ ...what, restoredAt: null }));
    try {
      await putInPlace({ built, dataFolder, existing: replaced, aside });
    } catch (error) {
      if (!hasCode(error, 'RESTORE_INCOMPLETE')) await note.update(() => before);
      throw error;
    }
    await note.update(() => ({ ...what, restoredAt: now() }));
    return {
      id: chosen.id,
      at: chosen.at,
      version,
      remarks: [...remarks, ...losses],
      replaced: existing === null ? null : aside,
    };
  } catch (error) {
    throw toRestoreError(error, options, chosen.id);
  } finally {
    await rm(places.restore, { recursive: true, force: true });
  }
}

/** Converts an error of unpacking to an error of a restore. Returns other errors unchanged. */
function toRestoreError(error: unknown, { dataFolder, signal }: RestoreOptions, backup: string): unknown {
  if (error instanceof BackupDamaged)
    return new OverworldError('RESTORE_DAMAGED', { backup, why: error.message }, error);
  if (signal?.aborted !== true || error !== signal.reason) return error;
  const why = 'the restore was interrupted';
  const advice = 'To restore the backup, run the same command again.';
  return new OverworldError('RESTORE_REFUSED', { folder: dataFolder, why, advice }, error);
}

/**
 * Returns the backup with the given id or, without an id, the newest backup.
 *
 * @param backups newest first
 * @throws OverworldError BACKUP_NOT_FOUND; BACKUP_AMBIGUOUS if there are backups of several networks and no id is
 *   given
 */
export function chooseBackup(backups: readonly StoredBackup[], id: string | undefined): StoredBackup {
  const networks = new Set(backups.map(({ network }) => network)).size;
  if (id === undefined && networks > 1) throw new OverworldError('BACKUP_AMBIGUOUS', { networks });
  const found = id === undefined ? backups[0] : backups.find((one) => one.id === id.slice(0, 8));
  if (found === undefined) throw new OverworldError('BACKUP_NOT_FOUND', { backup: id ?? 'latest' });
  return found;
}

/**
 * Returns the path of a file in a data folder, as a sign that the folder contains data. Null if it contains none.
 * Empty folders do not count as data.
 */
export async function findData(dataFolder: string): Promise<string | null> {
  for (const { name, isDirectory } of await topLevel(dataFolder)) {
    if (!isDirectory) return join(dataFolder, name);
    const file = (await listTree(join(dataFolder, name))).find((entry) => !entry.isDirectory());
    if (file !== undefined) return join(file.parentPath, file.name);
  }
  return null;
}

/**
 * Lists the entries of a data folder that may be data of a network. Leaves out hidden entries, such as `.ssh`: they
 * belong to the user whose home is the data folder.
 */
async function topLevel(dataFolder: string) {
  const entries = await readdir(dataFolder, { withFileTypes: true });
  return entries
    .filter(({ name }) => !NO_DATA.has(name) && !name.startsWith('.'))
    .map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }));
}

/**
 * Returns the path if nothing exists there. Otherwise, appends the lowest number for which nothing exists at the
 * resulting path, starting with 2.
 */
function freeFolder(path: string): string {
  let free = path;
  for (let n = 2; existsSync(free); n++) free = `${path}-${n}`;
  return free;
}

/**
 * Flushes everything on the disk of a folder to the device, with the program `sync`. If this program is missing, the
 * system flushes the data later by itself.
 */
async function flushDisk(folder: string, signal: AbortSignal | undefined): Promise<void> {
  await promisify(execFile)('sync', ['-f', folder], { signal }).catch(() => undefined);
}
