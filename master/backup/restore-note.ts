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
  /** The moment of the backup (ms since epoch). */
  at: z.int(),
  /** When all of it was in place (ms since epoch). Null from just before its first folder is moved into place. */
  restoredAt: z.int().nullable(),
  /** Name of the network. Earlier versions did not note it. */
  network: z.string().optional(),
  /** Whether the folder had a host key before. Earlier versions did not note it. */
  replaces: z.boolean().optional(),
});
/** Which backup was restored to a data folder (`backup/restored.json`). */
export type RestoreNote = z.infer<typeof noteSchema>;

/**
 * Opens the note of the last restore to a data folder. It is null if there was none.
 *
 * @throws OverworldError DATA_FAULTY
 */
export function openRestoreNote(dataFolder: string): Promise<JsonFile<RestoreNote | null>> {
  return openJsonFile(backupPlaces(dataFolder).restored, noteSchema.nullable(), null);
}

/** Returns whether there is a host key in a data folder: every network has one, and a restore puts it into place last. */
export function hasHostKey(dataFolder: string): boolean {
  return existsSync(join(dataFolderAt(dataFolder).config, 'host_key'));
}

/** Returns whether a restore to a data folder was cut off, so that it may have parts of a backup and no host key. */
export function isCutOff(note: RestoreNote | null, dataFolder: string): boolean {
  return note?.restoredAt === null && !hasHostKey(dataFolder);
}

/**
 * Checks that no restore to a data folder was cut off: a master would create another host key, and then take the parts for
 * a whole network.
 *
 * @throws OverworldError RESTORE_UNFINISHED, DATA_FAULTY
 */
export async function refuseCutOff(dataFolder: string): Promise<void> {
  const { data: note } = await openRestoreNote(dataFolder);
  if (note !== null && isCutOff(note, dataFolder))
    throw new OverworldError('RESTORE_UNFINISHED', { folder: dataFolder, backup: note.backup });
}

/**
 * Returns whether all of a backup is in place, and only the note does not say so. The host key is a sign of it if there was
 * none before.
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

/** Restore that was asked for. */
interface Wanted {
  readonly repository: string;
  /** Id of the backup, at least its first eight characters. Undefined for any of the repository. */
  readonly backup: string | undefined;
}

/**
 * Returns whether a restore of this backup is complete, and its network is still in the data folder.
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

/** Returns whether a note is about a network. That of a backup without an id got one when its master started. */
function isOfNetwork({ network: noted = NEW_NETWORK }: RestoreNote, network: string): boolean {
  return noted === NEW_NETWORK || noted === network;
}
