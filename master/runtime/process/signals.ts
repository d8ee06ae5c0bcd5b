import { constants } from 'node:os';
import type { ServiceProcess } from './process-table.ts';
import type { Exit } from '../runtime.ts';

const names = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/**
 * Converts a shell's exit status to an exit code or a signal: 128 + n means signal n (POSIX, Shell Command Language
 * 2.8.2).
 *
 * Example: `exitOfStatus(143)` is the signal SIGTERM, `exitOfStatus(1)` the code 1.
 */
export function exitOfStatus(status: number): Exit {
  const signal = status > 128 ? names.get(status - 128) : undefined;
  return signal === undefined ? { code: status, signal: null } : { code: null, signal };
}

/** Exit status that a shell reports for a process terminated by KILL. */
export const KILLED_STATUS = 128 + constants.signals.SIGKILL;

/**
 * Sends a signal to processes that were recently alive. If a process leads its group, the whole group gets the
 * signal, including processes that are being forked at that moment.
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
