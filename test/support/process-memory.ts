import { readFileSync, writeFileSync } from 'node:fs';

/** Memory of a process (MB). */
export interface ProcessMemory {
  readonly nowMb: number;
  /** Highest value since its start or {@link forgetPeak}. */
  readonly peakMb: number;
}

/**
 * Reads the memory of a process from the kernel (VmRSS and VmHWM of proc_pid_status(5)).
 *
 * @returns null if it has exited, or without /proc
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
  // A zombie has a status without memory.
  return nowMb === null || peakMb === null ? null : { nowMb, peakMb };
}

/** Resets a process's peak (5 in clear_refs of proc(5)). Does nothing if it has exited. */
export function forgetPeak(pid: number): void {
  if (memoryOf(pid) !== null) writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
