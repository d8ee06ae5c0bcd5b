import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { durationWords } from '#shared/text/duration.ts';
import { readBackupState } from '#master/backup/state.ts';
import { bad, ok, skipped, warning, type Finding } from './finding.ts';
import type { ServiceUnit } from './service-unit.ts';

const VERSION_TIMEOUT_MS = 5_000;

const SYSTEMCTL_TIMEOUT_MS = 3_000;

/** Timer that `overworld-master backup schedule` enables. */
const TIMER = 'overworld-master-backup.timer';

/**
 * Checks how old the last backup is, whether the program that makes backups is installed, and whether its timer is
 * enabled.
 *
 * @param unit unit of the master that uses the data folder; null if there is none
 */
export async function checkBackup(data: string, unit: ServiceUnit | null, nowMs: number): Promise<Finding> {
  const check = 'backup';
  const { repository, schedule, lastComplete, problem } = await readBackupState(data, nowMs);
  if (repository === null)
    return skipped(check, 'No backup is configured (overworld-master backup configure REPOSITORY).');
  if (!(await isResticInstalled()))
    return bad(check, 'The program restic is not installed.', 'Install it as root: apt-get install restic.');
  if (problem !== null) return bad(check, problem, 'Try again: overworld-master backup run.');
  if (lastComplete === null)
    return warning(check, 'There is no complete backup yet.', 'Make one: overworld-master backup run.');
  const found = `The last complete backup is ${durationWords(nowMs - lastComplete.at)} old.`;
  if (schedule === null)
    return warning(check, found, 'Make backups regularly, as root: overworld-master backup schedule daily.');
  if (unit?.data === data && !(await isTimerEnabled())) {
    // The schedule is part of the data folder, and the timer is not. So a move copies only the schedule.
    const why = `Backups are scheduled ${schedule}, but their timer is not enabled on this machine.`;
    const advice = `Schedule them here, as root: overworld-master backup schedule ${schedule}.`;
    return warning(check, `${found} ${why}`, advice);
  }
  return ok(check, `${found} Backups are made ${schedule}.`);
}

async function isTimerEnabled(): Promise<boolean> {
  try {
    await promisify(execFile)('systemctl', ['is-enabled', TIMER], { timeout: SYSTEMCTL_TIMEOUT_MS });
    return true;
  } catch {
    return false;
  }
}

async function isResticInstalled(): Promise<boolean> {
  try {
    await promisify(execFile)('restic', ['version'], { timeout: VERSION_TIMEOUT_MS });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
