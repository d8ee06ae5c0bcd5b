import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';
import { NEW_NETWORK } from './network-of.ts';
import { backupPlaces } from './places.ts';

const noteSchema = z.object({
  repository: z.string(),
  /** Id of the backup. */
  backup: z.string(),
  /** When the backup was made (ms since epoch). */
  at: z.int(),
  /**
   * When the whole backup was in place (ms since epoch). Null before that time. The note is first written just before
   * the first folder of the backup is moved into place.
   */
  restoredAt: z.int().nullable(),
  /** Name of the network. Missing in notes of earlier versions. */
  network: z.string().optional(),
  /** Whether the folder had a host key before the restore. Missing in notes of earlier versions. */
  replaces: z.boolean().optional(),
});
/** A note about the backup that was last restored to a data folder (`backup/restored.json`). */
export type RestoreNote = z.infer<typeof noteSchema>;

/**
 * Opens the note about the last restore to a data folder. Its data is null if there was no restore.
 *
 * @throws OverworldError DATA_FAULTY
 */
export function openRestoreNote(dataFolder: string): Promise<JsonFile<RestoreNote | null>> {
  return openJsonFile(backupPlaces(dataFolder).restored, noteSchema.nullable(), null);
}

/**
 * Reports whether a data folder contains a host key. Every network has one, and a restore puts it into place last.
 */
export function hasHostKey(dataFolder: string): boolean {
  return existsSync(join(dataFolderAt(dataFolder).config, 'host_key'));
}

/**
 * Reports whether a restore to a data folder was interrupted before its end. The folder may then have parts of a
 * backup, but has no host key.
 */
export function isCutOff(note: RestoreNote | null, dataFolder: string): boolean {
  return note?.restoredAt === null && !hasHostKey(dataFolder);
}

/**
 * Checks that no restore to a data folder was interrupted before its end. A master would create another host key in
 * this folder, and would treat the parts of the backup as a whole network.
 *
 * @throws OverworldError RESTORE_UNFINISHED, DATA_FAULTY
 */
export async function refuseCutOff(dataFolder: string): Promise<void> {
  const { data: note } = await openRestoreNote(dataFolder);
  if (note !== null && isCutOff(note, dataFolder))
    throw new OverworldError('RESTORE_UNFINISHED', { folder: dataFolder, backup: note.backup });
}

/**
 * Reports whether a restored backup is completely in place, although the note does not say yet that the restore has
 * ended. This is so if the folder has a host key that it did not have before the restore.
 *
 * @param network name of the network in the data folder
 */
export function isInPlace(note: RestoreNote | null, dataFolder: string, network: string): boolean {
  return (
    note?.restoredAt === null &&
    note.replaces === false &&
    hasHostKey(dataFolder) &&
    isOfNetwork(note, network)
  );
}

/** The restore that a caller requests. */
interface Wanted {
  readonly repository: string;
  /** Id of the backup, at least its first eight characters. Undefined if any backup of the repository will do. */
  readonly backup: string | undefined;
}

/**
 * Reports whether the requested restore is complete, and its network is still in the data folder.
 *
 * @param network name of the network in the data folder
 */
export function isComplete(
  note: RestoreNote | null,
  { repository, backup }: Wanted,
  network: string,
): boolean {
  if (note?.repository !== repository || note.restoredAt === null) return false;
  if (!isOfNetwork(note, network)) return false;
  return backup === undefined || note.backup === backup.slice(0, note.backup.length);
}

/**
 * Reports whether a note is about this network. A backup that was made before its network had an id matches any
 * network, because the network gets an id at the first start of a master.
 */
function isOfNetwork({ network: noted = NEW_NETWORK }: RestoreNote, network: string): boolean {
  return noted === NEW_NETWORK || noted === network;
}
