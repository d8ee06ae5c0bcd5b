import { readFile } from 'node:fs/promises';

/** HAProxy's master process. It starts the worker process that answers commands, and reloads the file on request. */
export interface MasterProcess {
  readonly pid: number;
  /** Path of the master process's own socket (`-S`); null if it has none. */
  readonly socket: string | null;
  /** Files and folders of the configuration (`-f`), as they were passed. */
  readonly files: readonly string[];
}

/** Debian's path of the master process's socket, used if other processes are not visible. */
const USUAL_SOCKET = '/run/haproxy-master.sock';

/**
 * Finds the master process of a worker in the process table, so that a reload never reaches another HAProxy on this
 * machine.
 *
 * @returns null if the worker has no master process (HAProxy was started without -W), or if the process table does
 *   not show it
 */
export async function findMasterProcess(worker: number): Promise<MasterProcess | null> {
  const pid = await parentOf(worker);
  if (pid === null) return null;
  const words = await commandOf(pid);
  if (!words.slice(1).some((word) => /^-(W|Ws)$/.test(word))) return null;
  const sockets = valuesOf(words, '-S').map((value) => (value.split(',')[0] ?? '').replace(/^unix@/, ''));
  return { pid, socket: sockets.find((path) => path.startsWith('/')) ?? null, files: valuesOf(words, '-f') };
}

/** Returns the socket path to use for a master process that is not visible, for example in another PID namespace. */
export function usualMasterSocket(): string {
  return USUAL_SOCKET;
}

/**
 * Returns the values after an option, up to the next option.
 *
 * Example: `-f a b -D` with the option `-f` → `a`, `b`.
 */
function valuesOf(words: readonly string[], option: string): string[] {
  const values: string[] = [];
  let current = '';
  for (const word of words.slice(1)) {
    if (word.startsWith('-')) current = word;
    else if (current === option) values.push(word);
  }
  return values;
}

async function parentOf(pid: number): Promise<number | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The line is `pid (name) state ppid`. The name may contain anything, even brackets (proc(5)).
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return Number.isInteger(parent) && parent > 1 ? parent : null;
  } catch {
    // The process does not exist, or the system has no /proc.
    return null;
  }
}

async function commandOf(pid: number): Promise<string[]> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').filter((word) => word !== '');
  } catch {
    return [];
  }
}
