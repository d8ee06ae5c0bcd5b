import { readFileSync } from 'node:fs';

/** True while a process runs. A zombie does not: it has ended, only its parent has not asked how. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/^[ZX]$/.test(stat.charAt(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
