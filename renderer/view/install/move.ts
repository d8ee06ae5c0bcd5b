import type { InstallJob, InstallStep, InstallStepName } from '#shared/ipc/contract.ts';

type Steps = Pick<InstallJob, 'steps'>;

/** Code of the error of a failed move after which the old master was started again. */
const RETURNED = 'MOVE_RETURNED';
/** Code of the error of a failed move after which the old master could not be started again. */
const STUCK = 'MOVE_STUCK';

/**
 * Returns whether the new master has started to serve. From then on, a move normally does not return to the old
 * master.
 */
function newServes(job: Steps): boolean {
  return hasEnded(job, 'start') || statusOf(job, 'handOver') === 'unchanged';
}

/** Describes the effect of cancelling a running move, or of a failure in it. */
export function toMoveSafety(job: Steps): string {
  return newServes(job)
    ? 'The new master serves. The move returns to the old one only if the new one cannot reach the nodes.'
    : 'If you cancel, or if a step fails, the old master serves again.';
}

/**
 * Describes which master serves after a failed move. Undefined if only the error is shown, or if the job is not a
 * move.
 */
export function toMoveFailure(job: Pick<InstallJob, 'kind' | 'error' | 'steps'>): string | undefined {
  if (job.kind !== 'move') return undefined;
  const code: string | undefined = job.error?.code;
  if (code === RETURNED) return 'The old master serves again';
  if (code === STUCK) return undefined;
  if (newServes(job)) return 'The new master serves';
  // Until the first step has ended, it is unknown whether the old master runs.
  return hasEnded(job, 'leave') && statusOf(job, 'handOver') === 'waiting'
    ? 'The old master still serves'
    : undefined;
}

/** Describes which master serves after a cancelled move. */
export function toMoveCancellation(job: Steps): string {
  if (newServes(job)) return 'The new master serves';
  return hasEnded(job, 'leave') ? 'The old master serves' : 'Nothing was changed';
}

function statusOf({ steps }: Steps, name: InstallStepName): InstallStep['status'] | undefined {
  return steps.find((step) => step.name === name)?.status;
}

function hasEnded(job: Steps, name: InstallStepName): boolean {
  const status = statusOf(job, name);
  return status === 'done' || status === 'unchanged';
}
