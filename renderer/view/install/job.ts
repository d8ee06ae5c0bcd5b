import type { InstallJob } from '#shared/ipc/contract.ts';
import { toMoveFailure } from './move.ts';
import { currentStep, toStepTime, toStepTitle, totalMs } from './steps.ts';

type Kind = InstallJob['kind'];

/** Returns the host of `user@host:port`: `play.example.org` of `root@play.example.org:22`. */
export function toServerHost(address: string): string {
  return address
    .replace(/^[^@]*@/, '')
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1');
}

/**
 * Returns the server to which a job connects now, in words. A move connects to an old and a new server, other jobs to
 * only one server.
 */
export function toAskedServer({
  from,
  hostKeyOf,
}: Pick<InstallJob, 'from' | 'hostKeyOf'>): 'the server' | 'the old server' | 'the new server' {
  if (from === null) return 'the server';
  return hostKeyOf === from ? 'the old server' : 'the new server';
}

/** Returns the title of the dialog. @param master name of the master to update or to move, if it is known */
export function toJobTitle(
  job: Pick<InstallJob, 'kind' | 'status' | 'question' | 'address' | 'from' | 'hostKeyOf'>,
  master?: string,
): string {
  if (job.question === 'trust') return `Is this ${toTrustName(job)}?`;
  const status = job.status === 'asking' ? 'running' : job.status;
  return titles[job.kind](status, toServerHost(job.address), master);
}

/**
 * Returns the name of the server whose host key must be trusted: `play.example.org`, or
 * `the old server berlin.example` for a move.
 */
function toTrustName(job: Pick<InstallJob, 'from' | 'hostKeyOf'>): string {
  const host = toServerHost(job.hostKeyOf);
  return job.from === null ? host : `${toAskedServer(job)} ${host}`;
}

type Shown = Exclude<InstallJob['status'], 'asking'>;

const titles: Record<Kind, (status: Shown, host: string, master?: string) => string> = {
  install: (status, host) => installTitles[status](host),
  update: updateTitle,
  move: moveTitle,
};

const installTitles: Record<Shown, (host: string) => string> = {
  running: (host) => `Installing a master on ${host}`,
  failed: (host) => `The installation on ${host} failed`,
  cancelled: (host) => `The installation on ${host} was cancelled`,
  done: (host) => `The master on ${host} runs`,
};

function updateTitle(status: Shown, host: string, master?: string): string {
  const name = master ?? `the master on ${host}`;
  if (status === 'running') return `Updating ${name}`;
  if (status === 'done') return `${master ?? `The master on ${host}`} is up to date`;
  return `The update of ${name} ${status === 'failed' ? 'failed' : 'was cancelled'}`;
}

function moveTitle(status: Shown, host: string, master?: string): string {
  const name = master ?? 'the master';
  if (status === 'running') return `Moving ${name} to ${host}`;
  if (status === 'done') return `${master ?? 'The master'} runs on ${host}`;
  return `The move of ${name} to ${host} ${status === 'failed' ? 'failed' : 'was cancelled'}`;
}

/** Returns the title of the message that a job is done. */
export function toDoneTitle({ kind, version }: Pick<InstallJob, 'kind' | 'version'>): string {
  if (kind === 'install') return `Overworld master ${version} runs, and this app is its owner`;
  return kind === 'update'
    ? `The master runs version ${version}`
    : 'The new master manages all nodes and services';
}

/**
 * Returns the title of a failed job. The title names the version or the master that still works. Undefined if only
 * the error is shown.
 */
export function toFailedTitle(
  job: Pick<InstallJob, 'kind' | 'error' | 'steps' | 'versionBefore'>,
): string | undefined {
  const returned = job.error?.code === 'UPGRADE_RETURNED' && job.versionBefore !== null;
  return returned ? `Version ${job.versionBefore} runs again` : toMoveFailure(job);
}

/** Noun for each kind of job: `Cancel installation`. */
export const jobWords: Readonly<Record<Kind, string>> = {
  install: 'installation',
  update: 'update',
  move: 'move',
};

/**
 * Returns the versions of a job: `0.1.0 → 0.2.0`. Returns only the new version if the old one is unknown or the same.
 */
export function toVersions({
  versionBefore,
  version,
}: Pick<InstallJob, 'versionBefore' | 'version'>): string {
  return versionBefore === null || versionBefore === version ? version : `${versionBefore} → ${version}`;
}

/** Returns the state of a job in one line, for the list of running tasks and for screen readers. */
export function toJobLine(job: InstallJob): string {
  const step = currentStep(job);
  switch (job.status) {
    case 'asking':
      return job.question === 'login'
        ? 'Waits for your answer in the dialog of the system'
        : `Waits for you to compare the host key of ${toAskedServer(job)}`;
    case 'failed':
      return job.error?.message ?? 'Failed';
    case 'cancelled':
      return 'Cancelled';
    case 'done':
      return `Done in ${toStepTime(totalMs(job))}`;
    case 'running':
      return step === null
        ? 'Starting'
        : `Step ${job.steps.indexOf(step) + 1} of ${job.steps.length}: ${toStepTitle(step.name, job.kind)}`;
  }
}

const names: Readonly<Record<Kind, string>> = {
  install: 'Install on',
  update: 'Update the master on',
  move: 'Move the master to',
};

/** Returns the name of a job in the list of running tasks: `Install on play.example.org`. */
export function toJobName(job: Pick<InstallJob, 'kind' | 'address'>): string {
  return `${names[job.kind]} ${toServerHost(job.address)}`;
}
