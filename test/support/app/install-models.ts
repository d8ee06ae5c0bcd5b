import {
  installStepsOf,
  type InstallJob,
  type InstallStep,
  type InstallStepName,
} from '#shared/ipc/contract.ts';
import { AT } from './models.ts';

/** Fingerprint of the host key of the server in {@link anInstallJob}. */
export const SERVER_KEY = `SHA256:${'abcdef'.repeat(7)}X`;

/** Returns a step that has not begun. `rest` replaces fields. */
export function anInstallStep(name: InstallStepName, rest: Partial<InstallStep> = {}): InstallStep {
  return {
    ...{ name, status: 'waiting', command: null, detail: null, progress: null, startedAt: null, ms: null },
    ...rest,
  };
}

/**
 * Returns the steps of an installation. The steps before `name` are done, and the fields in `rest` apply to the step
 * `name`.
 */
export function stepsUpTo(name: InstallStepName | null, rest: Partial<InstallStep> = {}): InstallStep[] {
  return stepsOf('install', name, rest);
}

/**
 * Returns the steps of a job. The steps before `name` are done, and the fields in `rest` apply to the step `name`. If
 * `name` is null, all steps are done.
 */
export function stepsOf(
  kind: InstallJob['kind'],
  name: InstallStepName | null,
  rest: Partial<InstallStep> = {},
): InstallStep[] {
  const names = installStepsOf(kind);
  const at = name === null ? names.length : names.indexOf(name);
  return names.map((one, index) => {
    if (index < at) return anInstallStep(one, { status: 'done', startedAt: AT, ms: 1000 });
    return anInstallStep(one, index === at ? rest : {});
  });
}

/** Returns a job that has just begun to install a master on play.example.org. */
export function anInstallJob(rest: Partial<InstallJob> = {}): InstallJob {
  const address = rest.address ?? 'root@play.example.org:22';
  return {
    ...{ id: 'job-1', kind: 'install', address, from: null, hostKeyOf: address, status: 'running' },
    ...{ question: null, hostKey: null, problems: [], error: null, connection: null },
    ...{ masterHostKey: null, versionBefore: null, version: '0.2.0' },
    steps: stepsUpTo('connect', { status: 'running', startedAt: AT }),
    ...rest,
  };
}

/** Returns a job that has just begun to move the master of connection `b` from berlin.example to play.example.org. */
export function aMoveJob(rest: Partial<InstallJob> = {}): InstallJob {
  const from = 'root@berlin.example:22';
  return anInstallJob({
    ...{ kind: 'move', from, hostKeyOf: from, connection: 'b', versionBefore: '0.2.0' },
    steps: stepsOf('move', 'leave', { status: 'running', startedAt: AT }),
    ...rest,
  });
}
