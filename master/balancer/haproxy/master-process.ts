import { readFile } from 'node:fs/promises';

/** HAProxy's master process: it starts the worker that answers us, and reads the file again when told to. */
export interface MasterProcess {
  readonly pid: number;
  /** Its own socket (`-S`), where it can be told to; null without. */
  readonly socket: string | null;
  /** Files and folders it reads (`-f`), as they were given. */
  readonly files: readonly string[];
}

/** Debian's, for where nothing can be seen of other processes. */
const USUAL_SOCKET = '/run/haproxy-master.sock';

/**
 * Finds the master of a worker by what the system tells of processes. So a reload never reaches another HAProxy of this
 * machine.
 *
 * @returns null when that worker has no master (HAProxy was started without -W), or is not to be seen from here
 */
export async function findMasterProcess(worker: number): Promise<MasterProcess | null> {
  const pid = await parentOf(worker);
  if (pid === null) return null;
  const words = await commandOf(pid);
  if (!words.slice(1).some((word) => /^-(W|Ws)$/.test(word))) return null;
  const sockets = valuesOf(words, '-S').map((value) => (value.split(',')[0] ?? '').replace(/^unix@/, ''));
  return { pid, socket: sockets.find((path) => path.startsWith('/')) ?? null, files: valuesOf(words, '-f') };
}

/** Where to look for a master that cannot be seen (another name space of processes). */
export function usualMasterSocket(): string {
  return USUAL_SOCKET;
}

/** Values after an option, up to the next option: `-f a b` gives both. */
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
    // `pid (name) state ppid`: the name may hold anything, also brackets (proc(5)).
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return Number.isInteger(parent) && parent > 1 ? parent : null;
  } catch {
    // No such process here, or no /proc at all.
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
