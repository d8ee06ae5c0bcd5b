import { readdir, readFile, readlink } from 'node:fs/promises';
import { sep } from 'node:path';

/** Returns the IDs of processes whose working directory is in a folder. Empty on systems without /proc. */
async function processesIn(folder: string): Promise<number[]> {
  const ids = (await readdir('/proc').catch((): string[] => [])).filter((name) => /^\d+$/.test(name));
  // The process has exited, or belongs to another user.
  const places = await Promise.all(ids.map((id) => readlink(`/proc/${id}/cwd`).catch(() => '')));
  return ids.filter((_, index) => places[index]?.startsWith(folder + sep)).map(Number);
}

/** Returns the IDs of Java virtual machines whose working directory is in a folder. */
export async function javaProcessesIn(folder: string): Promise<number[]> {
  const ids = await processesIn(folder);
  const names = await Promise.all(ids.map((id) => readFile(`/proc/${id}/comm`, 'utf8').catch(() => '')));
  return ids.filter((_, index) => names[index]?.trim() === 'java');
}

/** Kills all processes that still run in a test's folder, such as the services of a failed test. */
export async function endProcessesIn(folder: string): Promise<void> {
  for (const id of await processesIn(folder)) end(id);
}

/** Kills a process. Does nothing if the process has exited. */
export function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
