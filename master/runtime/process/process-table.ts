import type { ProcessTable } from './listed-process.ts';
import type { Mark } from './mark.ts';
import { DarwinTable } from './process-table-darwin.ts';
import { LinuxTable } from './process-table-linux.ts';

export type { ProcessTable, ServiceProcess } from './listed-process.ts';

/** Creates the process table of this platform; null if services cannot run here (Windows has no FIFOs). */
export function processTable(mark: Mark): ProcessTable | null {
  if (process.platform === 'linux') return new LinuxTable(mark);
  if (process.platform === 'darwin') return new DarwinTable(mark);
  return null;
}

/** Empty process table for a system that cannot run services. */
export const NO_PROCESSES: ProcessTable = {
  list: () => Promise.resolve(new Map()),
  stillAlive: () => Promise.resolve([]),
};
