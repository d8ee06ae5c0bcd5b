import { join } from 'node:path';
import { masterConfigSchema } from '#shared/config/master.ts';
import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { CompleteBackup } from '#shared/model/backup.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { DiskReserves, reserveBytesOf } from '#master/store/disk-reserve.ts';
import { readDocumentFile } from '#master/store/read-document.ts';
import { withBackupLock } from './lock.ts';
import { networkOf } from './network-of.ts';
import { backupPlaces } from './places.ts';
import { applyRetention, removeOldLocks, storeBackup, toRepositoryError } from './repository/repository.ts';
import { Restic, ResticFailed } from './repository/restic.ts';
import { requireSettings, type BackupSettings } from './settings.ts';
import { makeStage } from './stage/stage.ts';
import { freshStageFolders, removeStage } from './stage/stage-folders.ts';
import { openStatus } from './status-file.ts';
import { ownObjects } from './tree.ts';

/** Minimum time between two writes of the progress (ms), because each of them flushes the disk. */
const NOTE_EVERY_MS = 5_000;

export interface RunBackupOptions {
  readonly dataFolder: string;
  /** Whether `templates/` and `files/` may be links, which are then followed. By default, they must be folders. */
  readonly linkedFolders?: boolean;
  /** Aborts the backup. Nothing of it is kept. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the progress of the transfer, 0 to 100. */
  readonly onPercent?: (percent: number) => void;
  /**
   * Stores changes of volumes as saves before the data is collected. Returns remarks about the changes that are not
   * in the backup.
   */
  readonly saveChanges?: () => Promise<readonly string[]>;
  /** Returns the wall-clock time (ms since epoch). */
  readonly now?: () => number;
}

/**
 * Makes a backup, and removes the backups that the retention does not keep. Stores the result in the data folder,
 * where a running master reads it.
 *
 * @throws OverworldError BACKUP_NOT_CONFIGURED, BACKUP_RUNNING, BACKUP_FAILED, BACKUP_REPOSITORY_LOCKED,
 *   RESTIC_MISSING, BACKUP_FILE_INVALID, DATA_FOLDER_UNSAFE
 */
export async function runBackup({
  dataFolder,
  linkedFolders = false,
  signal,
  onPercent = () => undefined,
  saveChanges = () => Promise.resolve([]),
  now = Date.now,
}: RunBackupOptions): Promise<CompleteBackup> {
  await requireSettings(dataFolder);
  return withBackupLock(backupPlaces(dataFolder).folder, async () => {
    // The settings are read again, because `backup configure` may just have changed them.
    const settings = await requireSettings(dataFolder);
    const status = await openStatus(dataFolder);
    const since = now();
    let notedAt = since;
    await status.update((before) => ({ ...before, running: { since, percent: null } }));
    const note = (percent: number): void => {
      onPercent(percent);
      if (now() - notedAt < NOTE_EVERY_MS) return;
      notedAt = now();
      // If the progress cannot be written, the backup continues.
      status.update((before) => ({ ...before, running: { since, percent } })).catch(() => undefined);
    };
    try {
      const complete = await backUp({
        dataFolder,
        linkedFolders,
        settings,
        signal,
        now,
        saveChanges,
        onPercent: note,
      });
      const last = { at: now(), outcome: 'done', why: null } as const;
      await status.update(() => ({ running: null, last, lastComplete: complete }));
      return complete;
    } catch (thrown) {
      const error = toRepositoryError(thrown, settings.repository);
      const why = toOverworldError(error).message;
      const last = { at: now(), outcome: 'failed', why } as const;
      // A failure of this write, for example because of a full disk, must not hide why the backup failed.
      await status.update((before) => ({ ...before, running: null, last })).catch(() => undefined);
      throw error;
    }
  });
}

interface BackingUp extends Required<
  Pick<RunBackupOptions, 'dataFolder' | 'linkedFolders' | 'onPercent' | 'saveChanges' | 'now'>
> {
  readonly settings: BackupSettings;
  readonly signal: AbortSignal | undefined;
}

async function backUp({
  dataFolder,
  linkedFolders,
  settings,
  signal,
  onPercent,
  saveChanges,
  now,
}: BackingUp): Promise<CompleteBackup> {
  const { repository, retention } = settings;
  const restic = await Restic.open(repository, backupPlaces(dataFolder));
  const network = await networkOf(dataFolder);
  const began = now();
  await step(`reaching the repository ${repository}`, () => removeOldLocks(restic, began));
  const folders = await step('preparing the stage', () => freshStageFolders(dataFolder));
  try {
    const disks = await reservesOf(dataFolder);
    const stage = { dataFolder, linkedFolders, folders, disks, retention, now };
    const unsaved = await step('saving changes of volumes', saveChanges);
    const { remarks } = await step('collecting the data', () => makeStage(stage));
    const linked = [...folders.onOwnDisk.keys()].map(ownObjects);
    const summary = await step('storing the data', () =>
      storeBackup(restic, { folder: folders.stage, linked, network, signal, onPercent }),
    );
    const complete = {
      id: summary.snapshot_id.slice(0, 8),
      at: began,
      durationMs: now() - began,
      files: summary.total_files_processed,
      bytes: summary.total_bytes_processed,
      addedBytes: summary.data_added,
      remarks: [...unsaved, ...remarks],
    };
    // The new backup is complete, even if older backups cannot be removed.
    await applyRetention(restic, { network, retention, signal }).catch((error: unknown) => {
      complete.remarks.push(
        `This backup is complete, but older backups could not be removed: ${whyOf(error)}. The next backup tries again. If it fails, too, check the repository: overworld-master backup check.`,
      );
    });
    return complete;
  } finally {
    await removeStage(folders);
  }
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The error of a locked repository says how long to wait.
    const isLocked = error instanceof ResticFailed && error.isLocked;
    if (isLocked || error instanceof OverworldError) throw error;
    throw new OverworldError('BACKUP_FAILED', { step: name, why: whyOf(error) }, error);
  }
}

function whyOf(error: unknown): string {
  const text =
    error instanceof ResticFailed ? error.why : error instanceof Error ? error.message : String(error);
  return text.replace(/\.$/, '');
}

/** Returns the reserves of the disks, with the size that the master's configuration sets. */
async function reservesOf(dataFolder: string): Promise<DiskReserves> {
  const reading = await readDocumentFile(
    masterConfigSchema,
    join(dataFolderAt(dataFolder).config, 'master.json'),
  );
  const config = reading.kind === 'ok' ? reading.value : masterConfigSchema.parse({});
  return new DiskReserves(() => reserveBytesOf(config));
}
