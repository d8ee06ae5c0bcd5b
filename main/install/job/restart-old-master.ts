import { hasCode, OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { ServerContact } from '../server/contact.ts';
import { disarm, startAgain } from '../steps/master-unit.ts';
import { Cancelled } from './cancelled.ts';
import type { JobControl } from './job-parts.ts';

/** Maximum time for the return to the old master (ms). */
const RETURN_WITHIN_MS = 5 * 60_000;

/** How far a move has come. This decides how the move can return to the old master. */
export interface MoveState {
  readonly from: ServerContact;
  /** `host:port` of the new server. */
  readonly target: string;
  /** The new server. Null until the job has logged in to it. */
  to: ServerContact | null;
  /** Whether the old master was told to stop. */
  isStopped: boolean;
  /** Whether the new master can start. If so, it must be stopped before the old one is started. */
  isHanded: boolean;
  /** Whether the new master has served. It may then have made decisions, so there is no return to the old one. */
  hasServed: boolean;
  /** Whether the new master had made decisions before this run of the job. There is then no return in any case. */
  hasDecided: boolean;
}

/**
 * Starts the old master again after a move has failed or was cancelled. First makes sure that the new master is
 * stopped. Does nothing if the old master was not stopped, or if the new one has served. Never throws. Takes at most
 * 5 minutes.
 *
 * @param cause why the move has failed
 * @returns the error that the job ends with; MOVE_STUCK if the old master could not be started
 */
export async function restartOldMaster(job: JobControl, state: MoveState, cause: unknown): Promise<unknown> {
  if (!state.isStopped || state.hasServed) return cause;
  const isCancelled = job.signal.aborted || cause instanceof Cancelled;
  const [from, to] = [state.from.address, state.target];
  const why = isCancelled ? 'it was cancelled' : whyOf(cause);
  // Uses a separate signal, because the signal of the job may already be aborted.
  const signal = AbortSignal.timeout(RETURN_WITHIN_MS);
  job.note(`This failed: ${why}. The old master is started again.`);
  try {
    if (state.isHanded) await stopNew(state, signal);
    const root = await state.from.renew(signal);
    await startAgain(root, { step: 'handOver', address: from, signal });
  } catch (error) {
    return new OverworldError('MOVE_STUCK', { from, to, why, whyNotBack: whyOf(error) }, cause);
  }
  state.isStopped = false;
  return isCancelled ? cause : new OverworldError('MOVE_RETURNED', { from, to, why }, cause);
}

/** Stops the new master. Two masters must never run, so the old one stays stopped if this fails. */
async function stopNew({ to, target }: MoveState, signal: AbortSignal): Promise<void> {
  if (to === null) {
    const why = 'the job is not connected to it, so its master may run';
    throw new OverworldError('SERVER_UNREACHABLE', { address: target, why });
  }
  const root = await to.renew(signal);
  await disarm(root, { step: 'handOver', address: to.address, signal });
}

/** Returns the reason of an error as part of a sentence. */
function whyOf(error: unknown): string {
  const known = toOverworldError(error);
  const text = hasCode(known, 'INSTALL_STEP_FAILED')
    ? `the step "${known.details.step}" failed on ${known.details.address}: ${known.details.why}`
    : known.message;
  return text.replace(/[.\s]+$/, '');
}
