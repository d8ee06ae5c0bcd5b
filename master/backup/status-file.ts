import { z } from 'zod';
import { backupEndSchema, completeBackupSchema } from '#shared/model/backup.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';
import { backupPlaces } from './places.ts';

const statusSchema = z.object({
  /** The backup in progress, or a backup that was killed. The lock of the folder tells whether it still runs. */
  running: z.object({ since: z.int(), percent: z.int().nullable() }).nullable(),
  last: backupEndSchema.nullable(),
  lastComplete: completeBackupSchema.nullable(),
});
/** The status of the backups (`backup/status.json`): progress of a running backup, and results of the last ones. */
export type BackupStatus = z.infer<typeof statusSchema>;

/**
 * Opens the status of the backups of a data folder.
 *
 * @throws OverworldError DATA_FAULTY
 */
export function openStatus(dataFolder: string): Promise<JsonFile<BackupStatus>> {
  return openJsonFile<BackupStatus>(backupPlaces(dataFolder).status, statusSchema, {
    running: null,
    last: null,
    lastComplete: null,
  });
}
