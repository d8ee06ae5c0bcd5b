import type { Findings } from './inspect.ts';

/** A clock this far off is told, ms: log lines of services and the master would be in the wrong order. */
const CLOCK_OFF_MS = 5_000;

/** Less free disk than this is told, KiB: a world that cannot be saved is lost. */
const LITTLE_DISK_KB = 1_048_576;

const MANY_INODES_PERCENT = 95;

/** What is wrong with a node although it works: the worst as one sentence; null when all is well. */
export function warningOf(found: Findings): string | null {
  if (found.freeKb < LITTLE_DISK_KB) {
    return `Its disk is almost full: ${Math.round(found.freeKb / 1024)} MB are free.`;
  }
  if (found.usedInodesPercent >= MANY_INODES_PERCENT) {
    return `Its disk can hold hardly any more files: ${found.usedInodesPercent} % of them are used.`;
  }
  if (Math.abs(found.clockOffMs) > CLOCK_OFF_MS) {
    const seconds = Math.round(Math.abs(found.clockOffMs) / 1000);
    return `Its clock is ${seconds} s ${found.clockOffMs > 0 ? 'ahead of' : 'behind'} the master's; times in its logs are off.`;
  }
  if (found.java === null && found.javaProblem !== null) {
    return `Java could not be installed (${found.javaProblem}); it is tried again.`;
  }
  return null;
}
