import { readFileSync, writeFileSync } from 'node:fs';

/** What a process has in memory, MB. */
export interface ProcessMemory {
  readonly nowMb: number;
  /** Most that it ever had, since its start or {@link forgetPeak}. */
  readonly peakMb: number;
}

/**
 * Asks the kernel what a process has in memory (VmRSS and VmHWM of proc_pid_status(5)).
 *
 * @returns null when it is gone, or where there is no /proc
 */
export function memoryOf(pid: number): ProcessMemory | null {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return null;
  }
  const mbOf = (field: string): number | null => {
    const kb = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
    return kb === undefined ? null : Math.round(Number(kb) / 1_024);
  };
  const [nowMb, peakMb] = [mbOf('VmRSS'), mbOf('VmHWM')];
  // One that has ended, and whose parent has not looked yet, has a status without memory.
  return nowMb === null || peakMb === null ? null : { nowMb, peakMb };
}

/** Lets the kernel begin anew with a process's peak (5 in clear_refs of proc(5)); fine when it is gone. */
export function forgetPeak(pid: number): void {
  if (memoryOf(pid) !== null) writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
