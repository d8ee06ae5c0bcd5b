import { constants } from 'node:os';
import type { Exit } from '../runtime.ts';
import type { NodeMoment } from './observed-units.ts';
import type { NodeService } from './tool-answers.ts';

/**
 * Signal names by number, because JVMs and shells exit with 128 + n after signal n (POSIX, Shell Command Language
 * 2.8.2), as on the master's own machine.
 */
const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/**
 * Signals with which a node that shuts down normally stops its services: systemd sends TERM and, to a service that has
 * not exited in time, KILL.
 */
const SHUTDOWN: ReadonlySet<string> = new Set(['SIGTERM', 'SIGKILL']);

/**
 * Determines how a service exited, from the values that systemd passed to the unit's ExecStopPost command
 * (systemd.exec(5), `SERVICE_RESULT`).
 *
 * Example: an exit with the status 143 gives the signal SIGTERM.
 *
 * @param now moment on the node's clock. If the service ran in an earlier boot, it ended when the node was restarted
 */
export function exitOfUnit(
  { exit, start }: Pick<NodeService, 'exit' | 'start'>,
  now: Pick<NodeMoment, 'boot'>,
): Exit {
  const ended = exit === null ? { code: null, signal: null } : exitOfNote(exit);
  const rebooted = start !== null && start.boot !== now.boot;
  const withNode =
    ended.code === null && ended.why === undefined && (ended.signal === null || SHUTDOWN.has(ended.signal));
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
