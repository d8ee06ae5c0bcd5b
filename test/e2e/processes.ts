import { readdir, readlink } from 'node:fs/promises';
import { sep } from 'node:path';

/**
 * Ends what still runs inside a test's own folder: a service that a failed story has kept. Where the system has no
 * /proc there is nothing to look at, and nothing is ended.
 */
export async function endProcessesIn(folder: string): Promise<void> {
  const ids = await readdir('/proc').catch((): string[] => []);
  for (const id of ids.filter((name) => /^\d+$/.test(name))) {
    // Gone meanwhile, or another user's: not ours.
    const place = await readlink(`/proc/${id}/cwd`).catch(() => '');
    if (place.startsWith(folder + sep)) end(Number(id));
  }
}

/** Ends a process at once; fine when it is gone already. */
export function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
