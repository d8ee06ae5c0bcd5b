import type { BackupSchedule } from '#shared/model/backup.ts';
import { durationWords } from '#shared/text/duration.ts';
import type { BackupSettings } from './settings.ts';
import type { BackupStatus } from './status-file.ts';

const HOUR_MS = 3_600_000;

/** Time between two backups of a schedule (ms). */
const PERIOD_MS: Readonly<Record<BackupSchedule, number>> = {
  hourly: HOUR_MS,
  daily: 24 * HOUR_MS,
  weekly: 7 * 24 * HOUR_MS,
};

/** Maximum age of the last complete backup, as a number of periods of the schedule. */
const MAX_PERIODS = 2;

/**
 * Returns the problem of the backups, in full sentences: the last backup has failed, or a scheduled backup is
 * overdue. Null if there is no problem, or if no backups are configured.
 *
 * Example: with a daily schedule, a complete backup that is 49 hours old is a problem, and one that is 47 hours old
 * is not.
 *
 * @param nowMs ms since epoch
 */
export function backupProblem(
  settings: Pick<BackupSettings, 'schedule' | 'scheduledAt'> | null,
  { last, lastComplete }: Pick<BackupStatus, 'last' | 'lastComplete'>,
  nowMs: number,
): string | null {
  if (settings === null) return null;
  const ageMs = lastComplete === null ? null : nowMs - lastComplete.at;
  const age =
    ageMs === null
      ? 'There is no complete backup yet'
      : `The last complete backup is ${durationWords(ageMs)} old`;
  if (last?.outcome === 'failed') return `${last.why ?? 'The last backup failed.'} ${age}.`;
  const { schedule, scheduledAt } = settings;
  if (schedule === null) return null;
  const dueSinceMs = nowMs - Math.max(lastComplete?.at ?? 0, scheduledAt ?? 0);
  if (dueSinceMs <= MAX_PERIODS * PERIOD_MS[schedule]) return null;
  return `${age}, although backups are scheduled ${schedule}. See: systemctl status overworld-master-backup.timer.`;
}
