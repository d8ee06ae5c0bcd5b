import { readdir, readFile, readlink } from 'node:fs/promises';
import { sep } from 'node:path';

/** Ids of the processes that work inside a folder; none where the system has no /proc to look into. */
async function processesIn(folder: string): Promise<number[]> {
  const ids = (await readdir('/proc').catch((): string[] => [])).filter((name) => /^\d+$/.test(name));
  // Gone meanwhile, or another user's: not ours.
  const places = await Promise.all(ids.map((id) => readlink(`/proc/${id}/cwd`).catch(() => '')));
  return ids.filter((_, index) => places[index]?.startsWith(folder + sep)).map(Number);
}

/** Ids of the Java virtual machines that work inside a folder. */
export async function javaProcessesIn(folder: string): Promise<number[]> {
  const ids = await processesIn(folder);
  const names = await Promise.all(ids.map((id) => readFile(`/proc/${id}/comm`, 'utf8').catch(() => '')));
  return ids.filter((_, index) => names[index]?.trim() === 'java');
}

/** Ends what still runs inside a test's own folder: a service that a failed story has kept. */
export async function endProcessesIn(folder: string): Promise<void> {
  for (const id of await processesIn(folder)) end(id);
}

/** Ends a process at once; fine when it is gone already. */
export function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
