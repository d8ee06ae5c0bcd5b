import { readFileSync, writeFileSync } from 'node:fs';

/** Memory use of a process (MB). */
export interface ProcessMemory {
  readonly nowMb: number;
  /** Highest value since the process started or since {@link forgetPeak}. */
  readonly peakMb: number;
}

/**
 * Reads the memory use of a process from the kernel (VmRSS and VmHWM of proc_pid_status(5)).
 *
 * @returns null if the process has exited, or on a system without /proc
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
  // The status of a zombie process contains no memory values.
  return nowMb === null || peakMb === null ? null : { nowMb, peakMb };
}

/**
 * Resets the highest memory use of a process (value 5 in clear_refs of proc(5)). Does nothing if the process has
 * exited.
 */
export function forgetPeak(pid: number): void {
  if (memoryOf(pid) !== null) writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
