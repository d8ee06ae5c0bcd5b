import { constants } from 'node:os';
import type { Exit } from '../runtime.ts';
import type { NodeService } from './tool-answers.ts';

/** Point in time on a node's monotonic clock: seconds since a boot. */
export interface NodeMoment {
  readonly boot: string;
  readonly uptime: number;
}

/** Stage of a service according to its record, note and unit. `prepared`: never started. */
export type Stage = 'unknown' | 'prepared' | 'alive' | 'ended';

/**
 * Returns the stage of a service. `unknown`: it has no record, so its purpose is unknown.
 *
 * Example: a record without a start, whose unit is not alive, gives `prepared`.
 */
export function stageOf({ record, start, unit }: NodeService): Stage {
  if (record === null) return 'unknown';
  if (unit.alive) return 'alive';
  return start === null ? 'prepared' : 'ended';
}

/**
 * JVMs and shells exit with 128 + n after signal n (POSIX, Shell Command Language 2.8.2), as on the master's own
 * machine.
 */
const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/**
 * Determines how a service ended from the note that its unit left in systemd's terms (systemd.exec(5),
 * `SERVICE_RESULT`).
 *
 * Example: an exit with the status 143 gives the signal SIGTERM.
 *
 * @param now the node's current boot
 */
export function exitOf(
  { exit, start }: Pick<NodeService, 'exit' | 'start'>,
  now: Pick<NodeMoment, 'boot'>,
): Exit {
  const ended = exit === null ? { code: null, signal: null } : exitOfNote(exit);
  const rebooted = start !== null && start.boot !== now.boot;
  // A node that shuts down regularly stops its services with TERM.
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
 * Computes when a service was started by the master's clock, because the node's own may be wrong.
 *
 * Example: started at 100 s of uptime, now 160 s of the same boot: 60 s before `nowMs`.
 *
 * @returns the start time (ms since epoch); if the service was started in an earlier boot, the start of the current
 *   boot
 */
export function startedAtMs(start: NodeMoment, now: NodeMoment, nowMs: number): number {
  const ageS = start.boot === now.boot ? now.uptime - start.uptime : now.uptime;
  return Math.round(nowMs - Math.max(0, ageS) * 1000);
}
