import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { MoveDraft, ServerProblem } from '#shared/ipc/contract.ts';
import { addressOf } from '../../connections/ssh.ts';
import { assessOldServer } from '../check/assess-old-server.ts';
import type { ServerFacts } from '../check/facts.ts';
import { error } from '../check/problem.ts';
import type { JobControl, StepControl } from '../job/job-parts.ts';
import { ServerContact } from '../server/contact.ts';
import { askOldMaster } from './ask-master.ts';
import { inspectServer } from './check-server.ts';
import { connectServer } from './connect-server.ts';

/** A server whose master can be moved. */
export interface OldServer {
  readonly contact: ServerContact;
  readonly facts: ServerFacts;
  /** Whether the master runs. If not, an earlier run of the job has stopped it. */
  readonly isRunning: boolean;
  /** Fingerprint of the master's host key. */
  readonly masterHostKey: string;
  /** Problems that a person should know about. None of them ends the job. */
  readonly problems: readonly ServerProblem[];
}

/**
 * Logs in to the old server of a move, and checks whether its master can be moved. Changes nothing on the server.
 *
 * @throws OverworldError MOVE_IMPOSSIBLE, and those of {@link connectServer}, {@link inspectServer} and {@link
 *   askOldMaster}
 */
export async function checkOldServer(
  job: JobControl,
  step: StepControl,
  draft: MoveDraft,
): Promise<OldServer> {
  const { parts, memory } = job;
  const server = draft.from;
  const address = addressOf(server);
  const { host, port, hostKey: pin } = parts.masters.find(draft.connection);
  const purpose = 'stops and copies its master';
  const shell = await connectServer(job, step, { server, memory: memory.from, purpose });
  try {
    const { root, facts } = await inspectServer(job, step, { shell, server, name: 'leave' });
    memory.before ??= facts.master?.version ?? null;
    job.report({ versionBefore: memory.before });
    const to = addressOf(draft.server);
    const request = { version: parts.version, masterHostKey: pin, to, haproxy: draft.haproxy };
    const problems = assessOldServer(facts, request);
    refuse(job, address, problems);
    const masterHostKey = facts.master?.hostKey ?? '';
    job.report({ masterHostKey });
    const isRunning = facts.master?.running === true;
    if (isRunning) {
      const target = { host, port, pin: masterHostKey };
      const { observed, localServices } = await askOldMaster({ target, identity: parts.identity });
      memory.observed = observed;
      refuse(job, address, [...localProblems(localServices), ...problems]);
    }
    const size = Math.ceil((facts.moving.dataKib ?? 0) / 1_024);
    const state = isRunning ? 'runs' : 'was stopped by an earlier attempt';
    step.detail(`Version ${facts.master?.version ?? ''} ${state} there, with ${size} MB of data.`);
    if (memory.from.hostKey === null) throw new Error('the job has not connected');
    const { logins } = parts;
    const contact = new ServerContact({ server, hostKey: memory.from.hostKey, logins, root });
    return { contact, facts, isRunning, masterHostKey, problems };
  } catch (cause) {
    shell.close();
    throw cause;
  }
}

/** Reports problems, and ends the job if one of them is an error. */
function refuse(job: JobControl, address: string, problems: readonly ServerProblem[]): void {
  job.report({ problems: [...problems] });
  const errors = problems.filter(({ severity }) => severity === 'error').map(({ text }) => text);
  if (errors.length > 0) throw new OverworldError('MOVE_IMPOSSIBLE', { address, problems: errors });
}

/**
 * Returns a problem if the old server runs services itself, because the move would leave them without a master. Pure.
 */
export function localProblems(services: readonly string[]): ServerProblem[] {
  const [first] = services;
  if (first === undefined) return [];
  const shown = services.length === 1 ? first : `${first} and ${services.length - 1} more`;
  const advice = 'Move them to cloud nodes first: overworld-master node drain local';
  return [error(`It runs services on its own server, which cannot move with it (${shown}). ${advice}`)];
}
