import type { InstallJob } from '#shared/ipc/contract.ts';
import { visibleName } from '#shared/text/visible-name.ts';

/** Time limit for a job that is cancelled when the app quits (ms). Its server completes what it has begun. */
const CANCEL_TIMEOUT_MS = 5_000;
/**
 * Time limit for a move that is cancelled when the app quits (ms). The old master must be started again, which takes
 * at most 5 minutes (main/install/job/restart-old-master.ts).
 */
const RETURN_TIMEOUT_MS = 6 * 60_000;

/** Effect of quitting the app on a job, by the kind of the job. */
const consequences: Record<InstallJob['kind'], string> = {
  install: 'The installation is cancelled. To continue it, start the same installation again.',
  update:
    'The update is cancelled. If the server has begun to update the master, it continues without the app.',
  move:
    'The move is cancelled. If the old master is stopped and the new master does not run yet, the app first starts ' +
    'the old master again. This can take some minutes.',
};

const subjects: Record<InstallJob['kind'], string> = {
  install: 'A master is being installed on',
  update: 'The master is being updated on',
  move: 'A master is being moved to',
};

/** Returns the question about a job on a server before the app quits. Null if no job is running. */
export function questionAboutJob(
  job: Pick<InstallJob, 'kind' | 'status' | 'address'> | null,
): { readonly message: string; readonly detail: string } | null {
  if (job === null || (job.status !== 'running' && job.status !== 'asking')) return null;
  return {
    message: `${subjects[job.kind]} ${visibleName(job.address)}.`,
    detail: consequences[job.kind],
  };
}

/**
 * Returns how long the app waits for the end of a cancelled job before it exits (ms).
 *
 * @param unattended whether the user cannot be asked, for example because the system shuts down
 */
export function jobTimeoutMs(job: Pick<InstallJob, 'kind'> | null, unattended: boolean): number {
  return job?.kind === 'move' && !unattended ? RETURN_TIMEOUT_MS : CANCEL_TIMEOUT_MS;
}
