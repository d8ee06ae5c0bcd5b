import { z } from 'zod';
import { openEnum } from '../tolerant.ts';

/** How often backups are made by the timer of the master's machine. */
export const backupSchedules = ['hourly', 'daily', 'weekly'] as const;
export type BackupSchedule = (typeof backupSchedules)[number];

/** How the last backup has ended. */
export const backupEndSchema = z.strictObject({
  at: z.int(),
  outcome: openEnum(['done', 'failed'], 'other'),
  /** Why it failed, in one sentence. Null if it did not. */
  why: z.string().nullable(),
});

/** The newest complete backup. */
export const completeBackupSchema = z.strictObject({
  /** Id of the snapshot in the repository. */
  id: z.string(),
  /** The moment at which the backup began (ms since epoch). */
  at: z.int(),
  durationMs: z.int(),
  files: z.int(),
  bytes: z.int(),
  /** What it added to the repository (bytes). */
  addedBytes: z.int(),
  /** What is not in it, or only in an earlier version, in full sentences. */
  remarks: z.array(z.string()),
});
export type CompleteBackup = z.infer<typeof completeBackupSchema>;

/** State of the backups of a master, as `backup.get` returns it. */
export const backupStateSchema = z.strictObject({
  /** Address of the repository, which contains no secrets. Null if no backup is configured. */
  repository: z.string().nullable(),
  /** Null if backups are made only by hand. */
  schedule: openEnum(backupSchedules, 'other').nullable(),
  /** The backup in progress. `percent` is null until its size is known. */
  running: z.strictObject({ since: z.int(), percent: z.int().nullable() }).nullable(),
  last: backupEndSchema.nullable(),
  lastComplete: completeBackupSchema.nullable(),
  /** What is wrong, in full sentences. Null if nothing is. */
  problem: z.string().nullable(),
});
export type BackupState = z.infer<typeof backupStateSchema>;
