import type { WireError } from '#shared/errors/wire.ts';
import {
  installStepsOf,
  type InstallJob,
  type InstallStep,
  type InstallStepName,
} from '#shared/ipc/contract.ts';

/** Data that a job begins with. */
export type JobSubject = Pick<InstallJob, 'id' | 'kind' | 'address' | 'from' | 'connection' | 'version'>;

/**
 * Returns the state of a job before its first step. @param withServices whether the server will also run services
 */
export function newJob(subject: JobSubject, withServices = false): InstallJob {
  return {
    ...subject,
    status: 'running',
    question: null,
    hostKey: null,
    hostKeyOf: subject.from ?? subject.address,
    steps: installStepsOf(subject.kind, withServices).map(waiting),
    problems: [],
    error: null,
    masterHostKey: null,
    versionBefore: null,
  };
}

/**
 * Returns the state at the start of another run of the job, in which all steps wait. Facts about the servers stay,
 * except for a server that was replaced by another one.
 */
export function againJob(
  job: InstallJob,
  { address, from }: Pick<InstallJob, 'address' | 'from'>,
): InstallJob {
  const isSame = job.address === address && job.from === from;
  const known = isSame ? job : { hostKey: null, versionBefore: null, masterHostKey: null };
  const { versionBefore, masterHostKey } = known;
  const hostKeyOf = from ?? address;
  // A move first asks for the host key of its old server. At that time, `hostKey` may be the key of the new server.
  const hostKey = hostKeyOf === job.hostKeyOf ? known.hostKey : null;
  return {
    ...job,
    address,
    from,
    hostKey,
    hostKeyOf,
    versionBefore,
    masterHostKey,
    status: 'running',
    question: null,
    error: null,
    problems: [],
    steps: job.steps.map(({ name }) => waiting(name)),
  };
}

/** Returns the state with a changed step. */
export function withStep(job: InstallJob, name: InstallStepName, change: Partial<InstallStep>): InstallJob {
  return { ...job, steps: job.steps.map((step) => (step.name === name ? { ...step, ...change } : step)) };
}

/** Returns the state when a step begins. @param at time (ms since epoch) */
export function beginStep(job: InstallJob, name: InstallStepName, at: number): InstallJob {
  return withStep(job, name, { ...waiting(name), status: 'running', startedAt: at });
}

/** Returns the state when a step has ended. @param at time (ms since epoch) */
export function endStep(
  job: InstallJob,
  name: InstallStepName,
  { at, ...change }: { readonly at: number; readonly status: 'done' | 'unchanged' | 'failed' },
): InstallJob {
  const startedAt = job.steps.find((step) => step.name === name)?.startedAt ?? at;
  return withStep(job, name, { ...change, ms: Math.max(0, at - startedAt) });
}

/** Returns the state after an error. The error ends the step that was running. @param at time (ms since epoch) */
export function failJob(job: InstallJob, error: WireError, at: number): InstallJob {
  const running = job.steps.find(({ status }) => status === 'running');
  const ended = running === undefined ? job : endStep(job, running.name, { status: 'failed', at });
  return { ...ended, status: 'failed', question: null, error };
}

/** Returns the state after a cancellation. The step that was running waits again. */
export function cancelJob(job: InstallJob): InstallJob {
  const steps = job.steps.map((step) =>
    step.status === 'running' ? { ...waiting(step.name), command: step.command, detail: 'Cancelled' } : step,
  );
  return { ...job, steps, status: 'cancelled', question: null };
}

function waiting(name: InstallStepName): InstallStep {
  return { name, status: 'waiting', command: null, detail: null, progress: null, startedAt: null, ms: null };
}
