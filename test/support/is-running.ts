import { readFileSync } from 'node:fs';

/** Returns whether a process runs. A zombie does not count. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/^[ZX]$/.test(stat.charAt(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
