import type { InstallJob, InstallStep, InstallStepName } from '#shared/ipc/contract.ts';
import type { Hue } from '../../ui/hue.ts';
import { toBytes } from '../format/numbers.ts';
import { toDuration } from '../format/time.ts';

type Kind = InstallJob['kind'];

const titles: Record<InstallStepName, string> = {
  leave: 'Check the old server',
  connect: 'Connect to the server',
  check: 'Check the server',
  package: 'Prepare the package',
  upload: 'Upload the package',
  install: 'Install the package',
  copy: 'Copy the data while the old master serves',
  handOver: 'Stop the old master and copy the rest',
  configure: 'Configure the master',
  start: 'Start the master',
  services: 'Java and services',
  reach: 'Connect to the master',
};

/** Titles of steps that have another meaning, or run on another server, in jobs of a certain kind. */
const titlesOfKind: Readonly<Record<Kind, Partial<Record<InstallStepName, string>>>> = {
  install: {},
  update: {
    install: 'Replace the package',
    start: 'Wait until the new master serves',
  },
  move: {
    connect: 'Connect to the new server',
    check: 'Check the new server',
    configure: 'Configure the new master',
    start: 'Start the new master',
    reach: 'Connect to the new master',
  },
};

/** Returns the title of a step: `Upload the package`. */
export function toStepTitle(name: InstallStepName, kind: Kind): string {
  return titlesOfKind[kind][name] ?? titles[name];
}

/** Word and hue of each state of a step. */
export const stepStates: Readonly<
  Record<InstallStep['status'], { readonly word: string; readonly hue: Hue }>
> = {
  waiting: { word: 'Waiting', hue: 'neutral' },
  running: { word: 'Running', hue: 'busy' },
  done: { word: 'Done', hue: 'ok' },
  unchanged: { word: 'Already done', hue: 'ok' },
  failed: { word: 'Failed', hue: 'bad' },
};

/** Typical durations of the steps (s). They are the weights of the steps in the progress bar. */
const WEIGHTS: Record<InstallStepName, number> = {
  leave: 1,
  connect: 1,
  check: 1,
  package: 1,
  upload: 6,
  install: 8,
  copy: 6,
  handOver: 3,
  configure: 2,
  start: 3,
  services: 8,
  reach: 1,
};

const hasEnded = ({ status }: Pick<InstallStep, 'status'>): boolean =>
  status === 'done' || status === 'unchanged';

/** Returns the progress of a job from 0 to 1. */
export function toJobShare({ steps }: Pick<InstallJob, 'steps'>): number {
  const total = steps.reduce((sum, { name }) => sum + WEIGHTS[name], 0);
  const done = steps.reduce((sum, step) => sum + WEIGHTS[step.name] * shareOf(step), 0);
  return total === 0 ? 0 : done / total;
}

function shareOf(step: InstallStep): number {
  if (hasEnded(step)) return 1;
  const { progress, status } = step;
  return status === 'running' && progress !== null && progress.total > 0 ? progress.done / progress.total : 0;
}

/** Returns the step that runs, waits for a person or has failed, or else the next step. Null after the last step. */
export function currentStep({ steps }: Pick<InstallJob, 'steps'>): InstallStep | null {
  const active = steps.find(({ status }) => status === 'running' || status === 'failed');
  return active ?? steps.find(({ status }) => status === 'waiting') ?? null;
}

/** Formats the duration of a step: `0.4 s`, `12 s`, `1 m 35 s`. */
export function toStepTime(ms: number): string {
  return ms < 9950 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : toDuration(ms);
}

/** Returns the transferred and the total amount of data: `12.4 MB of 48.2 MB`. */
export function toTransferred({ done, total }: NonNullable<InstallStep['progress']>): string {
  return `${toBytes(done)} of ${toBytes(total)}`;
}

/** Returns the sum of the durations of all steps (ms), including the time that a person took to answer. */
export function totalMs({ steps }: Pick<InstallJob, 'steps'>): number {
  return steps.reduce((sum, { ms }) => sum + (ms ?? 0), 0);
}
