import type { BackupState } from '#shared/model/backup.ts';
import { findMasterProcess } from '#master/store/lease.ts';
import { backupProblem } from './health.ts';
import { backupPlaces } from './places.ts';
import { openSettings } from './settings.ts';
import { openStatus } from './status-file.ts';

/**
 * Reads the state of the backups of a data folder.
 *
 * @param nowMs ms since epoch
 * @throws OverworldError DATA_FAULTY
 */
export async function readBackupState(dataFolder: string, nowMs: number): Promise<BackupState> {
  const settings = (await openSettings(dataFolder)).data;
  const status = (await openStatus(dataFolder)).data;
  // A backup that was killed could not store its end, so the lock of the backups decides whether it still runs.
  const isRunning =
    status.running !== null && (await findMasterProcess(backupPlaces(dataFolder).folder)) !== null;
  return {
    repository: settings?.repository ?? null,
    schedule: settings?.schedule ?? null,
    running: isRunning ? status.running : null,
    last: status.last,
    lastComplete: status.lastComplete,
    problem: backupProblem(settings, status, nowMs),
  };
}
