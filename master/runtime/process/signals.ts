import { constants } from 'node:os';
import type { ServiceProcess } from './process-table.ts';
import type { Exit } from '../runtime.ts';

const names = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** A shell's exit status as exit code or signal: 128 + n stands for signal n (POSIX, Shell Command Language 2.8.2). */
export function exitOf(status: number): Exit {
  const signal = status > 128 ? names.get(status - 128) : undefined;
  return signal === undefined ? { code: status, signal: null } : { code: null, signal };
}

/** The status that a shell would give for a process ended by KILL. */
export const KILLED_STATUS = 128 + constants.signals.SIGKILL;

/**
 * Sends a signal to processes that were seen alive a moment ago. A group led by one of them gets it as a whole, so
 * that what is being forked this instant gets it too.
 */
export function signalAll(processes: readonly ServiceProcess[], signal: 'SIGTERM' | 'SIGKILL'): void {
  const pids = new Set(processes.map(({ pid }) => pid));
  const groups = new Set(processes.map(({ group }) => group).filter((group) => pids.has(group)));
  for (const group of groups) send(-group, signal);
  for (const { pid, group } of processes) if (!groups.has(group)) send(pid, signal);
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
