import { existsSync } from 'node:fs';
import { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { backupSchedules } from '#shared/model/backup.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';
import { backupPlaces } from './places.ts';
import { whyUnusable } from './repository/address.ts';

const count = z.int().min(0).max(10_000);

/** How many backups are kept (restic's `--keep-last`, `--keep-daily`, `--keep-weekly`). */
export const retentionSchema = z.strictObject({
  last: count.default(3),
  daily: count.default(14),
  weekly: count.default(8),
});
export type BackupRetention = z.infer<typeof retentionSchema>;

const settingsSchema = z.strictObject({
  repository: z.string().refine((text) => whyUnusable(text) === null),
  retention: retentionSchema,
  /** How often the timer makes backups. Null if they are made only by hand. */
  schedule: z.enum(backupSchedules).nullable(),
  /** When the schedule was set (ms since epoch). The time until the first backup is due counts from here. */
  scheduledAt: z.int().nullable(),
});
/** The settings of the backups (`backup/settings.json`). They contain no secrets. */
export type BackupSettings = z.infer<typeof settingsSchema>;

/**
 * Opens the settings of a data folder. Their data is null until they are written for the first time.
 *
 * @throws OverworldError DATA_FAULTY
 */
export function openSettings(dataFolder: string): Promise<JsonFile<BackupSettings | null>> {
  return openJsonFile(backupPlaces(dataFolder).settings, settingsSchema.nullable(), null);
}

/**
 * Reads the settings of a data folder.
 *
 * @throws OverworldError BACKUP_NOT_CONFIGURED, DATA_FAULTY
 */
export async function requireSettings(dataFolder: string): Promise<BackupSettings> {
  const { data } = await openSettings(dataFolder);
  if (data === null || !existsSync(backupPlaces(dataFolder).password))
    throw new OverworldError('BACKUP_NOT_CONFIGURED', { folder: dataFolder });
  return data;
}
