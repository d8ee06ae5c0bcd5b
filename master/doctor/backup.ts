import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { durationWords } from '#shared/text/duration.ts';
import { readBackupState } from '#master/backup/state.ts';
import { bad, ok, skipped, warning, type Finding } from './finding.ts';

const VERSION_TIMEOUT_MS = 5_000;

/** Checks how old the last backup is, and whether the program that makes backups is installed. */
export async function checkBackup(data: string, nowMs: number): Promise<Finding> {
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
  return ok(check, `${found} Backups are made ${schedule}.`);
}

async function isResticInstalled(): Promise<boolean> {
  try {
    await promisify(execFile)('restic', ['version'], { timeout: VERSION_TIMEOUT_MS });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
