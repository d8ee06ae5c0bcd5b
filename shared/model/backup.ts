import { z } from 'zod';
import { openEnum } from '../tolerant.ts';

/** How often the timer of the master's machine makes backups. */
export const backupSchedules = ['hourly', 'daily', 'weekly'] as const;
export type BackupSchedule = (typeof backupSchedules)[number];

/** Result of the last backup. */
export const backupEndSchema = z.strictObject({
  at: z.int(),
  outcome: openEnum(['done', 'failed'], 'other'),
  /** Why the backup failed, in one sentence. Null if it succeeded. */
  why: z.string().nullable(),
});

/** The newest complete backup. */
export const completeBackupSchema = z.strictObject({
  /** Id of the snapshot in the repository. */
  id: z.string(),
  /** Time at which the backup began (ms since epoch). */
  at: z.int(),
  durationMs: z.int(),
  files: z.int(),
  bytes: z.int(),
  /** Amount of data that the backup added to the repository (bytes). */
  addedBytes: z.int(),
  /**
   * Full sentences about data that is missing in the backup, or that the backup contains only in an earlier version.
   */
  remarks: z.array(z.string()),
});
export type CompleteBackup = z.infer<typeof completeBackupSchema>;

/** State of the backups of a master, as `backup.get` returns it. */
export const backupStateSchema = z.strictObject({
  /** Address of the repository, without secrets. Null if no backup is configured. */
  repository: z.string().nullable(),
  /** Schedule of the timer. Null if backups are only started by hand. */
  schedule: openEnum(backupSchedules, 'other').nullable(),
  /**
   * The backup in progress. Null if no backup is running. `percent` is null until the size of the backup is known.
   */
  running: z.strictObject({ since: z.int(), percent: z.int().nullable() }).nullable(),
  last: backupEndSchema.nullable(),
  lastComplete: completeBackupSchema.nullable(),
  /** Problems of the backups, in full sentences. Null if there are none. */
  problem: z.string().nullable(),
});
export type BackupState = z.infer<typeof backupStateSchema>;
