import { OverworldError } from '#shared/errors/overworld-error.ts';
import { configureBackup } from './configure.ts';
import { withBackupLock } from './lock.ts';
import { networkOf } from './network-of.ts';
import { backupPlaces } from './places.ts';
import { findData, restoreBackup, type RestoreOptions, type RestoredBackup } from './restore-backup.ts';
import { isComplete, isCutOff, isInPlace, openRestoreNote, type RestoreNote } from './restore-note.ts';

export interface NetworkRestore extends Omit<RestoreOptions, 'replace'> {
  readonly repository: string;
  /** Text of a file with the password of the repository. */
  readonly password: string;
  /** Text of an environment file. Default: the environment file in use. */
  readonly environment: string | undefined;
}

/**
 * Result of {@link restoreNetwork}. `complete`: an earlier call has already restored this backup, and this call
 * changed nothing.
 */
export type NetworkRestored =
  | { readonly outcome: 'restored'; readonly backup: RestoredBackup }
  | { readonly outcome: 'complete'; readonly backup: RestoreNote };

/**
 * Restores a network to the data folder of a new machine: sets an existing repository, and restores a backup from it.
 * It can be called again after any failure, and after success. If the folder contains other data, changes nothing,
 * not even the settings of the backups.
 *
 * @throws OverworldError DATA_FAULTY; the errors of `configureBackup` and `restoreBackup`
 */
export async function restoreNetwork({
  repository,
  password,
  environment,
  ...options
}: NetworkRestore): Promise<NetworkRestored> {
  const { dataFolder, backup, signal, onStep } = options;
  const network = await networkOf(dataFolder);
  const note = await readNote(dataFolder, network);
  const existing = await findData(dataFolder);
  if (note !== null && existing !== null && isComplete(note, { repository, backup }, network))
    return { outcome: 'complete', backup: note };
  if (existing !== null && !isCutOff(note, dataFolder)) throw refusal(dataFolder, existing);
  onStep?.('Opening the repository');
  await configureBackup({
    dataFolder,
    repository,
    password,
    environment,
    signal,
    mustExist: true,
    retention: {},
  });
  return { outcome: 'restored', backup: await restoreBackup({ ...options, replace: false }) };
}

/**
 * Reads the note about the last restore. If the machine failed after the last folder was in place and before the note
 * said so, completes the note.
 */
async function readNote(dataFolder: string, network: string): Promise<RestoreNote | null> {
  const { data } = await openRestoreNote(dataFolder);
  if (!isInPlace(data, dataFolder, network)) return data;
  return withBackupLock(backupPlaces(dataFolder).folder, async () => {
    const note = await openRestoreNote(dataFolder);
    if (isInPlace(note.data, dataFolder, network))
      await note.update((open) => open && { ...open, restoredAt: Date.now() });
    return note.data;
  });
}

function refusal(folder: string, existing: string): OverworldError {
  return new OverworldError('RESTORE_REFUSED', {
    folder,
    why: `it contains ${existing}`,
    advice:
      'To keep this data, run "overworld-master install" without --restore-from. To move it aside and restore the backup, stop the master, and use "overworld-master backup configure" and "backup restore --replace".',
  });
}
