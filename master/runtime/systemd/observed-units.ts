import { constants } from 'node:os';
import type { Exit } from '../runtime.ts';
import type { NodeService } from './tool-answers.ts';

/** A moment on a node's clock that nobody sets: seconds since a boot. */
export interface NodeMoment {
  readonly boot: string;
  readonly uptime: number;
}

/** How far a service has come, by records, notes and units alone. `prepared`: it was never started. */
export type Stage = 'unknown' | 'prepared' | 'alive' | 'ended';

/** Judges one service. `unknown`: there is nothing of it, or nobody can say what it is for. */
export function stageOf({ record, start, unit }: NodeService): Stage {
  if (record === null) return 'unknown';
  if (unit.alive) return 'alive';
  return start === null ? 'prepared' : 'ended';
}

/** JVMs and shells end with 128 + n after signal n (POSIX, Shell Command Language 2.8.2), as on the master's own machine. */
const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/**
 * How a service ended, from the note that its unit left, in systemd's words (systemd.exec(5), `SERVICE_RESULT`).
 *
 * @param now which boot the node is in
 */
export function exitOf(
  { exit, start }: Pick<NodeService, 'exit' | 'start'>,
  now: Pick<NodeMoment, 'boot'>,
): Exit {
  const ended = exit === null ? { code: null, signal: null } : exitOfNote(exit);
  const rebooted = start !== null && start.boot !== now.boot;
  // A node that shuts down in order ends its services by TERM.
  const withNode = ended.code === null && (ended.signal === null || ended.signal === 'SIGTERM');
  return rebooted && withNode ? { ...ended, why: 'node-restarted' } : ended;
}

function exitOfNote({ result, code, status, oomKills }: NonNullable<NodeService['exit']>): Exit {
  if (result === 'oom-kill' || (oomKills > 0 && status === 'KILL')) {
    return { code: null, signal: 'SIGKILL', why: 'out-of-memory' };
  }
  if (code === 'killed' || code === 'dumped') return { code: null, signal: `SIG${status}` };
  return code === 'exited' ? exitOfStatus(status) : { code: null, signal: null };
}

function exitOfStatus(status: string): Exit {
  if (!/^\d{1,3}$/.test(status)) return { code: null, signal: null };
  const number = Number(status);
  const signal = number > 128 ? signalNames.get(number - 128) : undefined;
  return signal === undefined ? { code: number, signal: null } : { code: null, signal };
}

/**
 * When a service was started, by the master's clock: the node's own may be wrong.
 *
 * @returns for an earlier boot, whose length nobody knows: the begin of this one
 */
export function startedAtMs(start: NodeMoment, now: NodeMoment, nowMs: number): number {
  const ageS = start.boot === now.boot ? now.uptime - start.uptime : now.uptime;
  return Math.round(nowMs - Math.max(0, ageS) * 1000);
}
