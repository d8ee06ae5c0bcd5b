import { existsSync } from 'node:fs';
import { z } from 'zod';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { backupPlaces } from './places.ts';

const noteSchema = z.object({
  repository: z.string(),
  /** Id of the backup. */
  backup: z.string(),
  /** The moment of the backup (ms since epoch). */
  at: z.int(),
  /** When all of it was in place (ms since epoch). Null from just before its first folder is moved into place. */
  restoredAt: z.int().nullable(),
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

/**
 * Returns whether what is in a data folder are parts of a backup that were moved there when the machine failed: the
 * configuration is moved last, and no master starts without it.
 */
export function isCutOff(note: RestoreNote | null, dataFolder: string): boolean {
  return note?.restoredAt === null && !existsSync(dataFolderAt(dataFolder).config);
}

/**
 * Returns whether a restore of this backup is complete.
 *
 * @param backup id of the backup, at least its first eight characters. Undefined for any of the repository.
 */
export function isComplete(
  note: RestoreNote | null,
  { repository, backup }: { readonly repository: string; readonly backup: string | undefined },
): boolean {
  if (note?.repository !== repository || note.restoredAt === null) return false;
  return backup === undefined || note.backup === backup.slice(0, note.backup.length);
}
