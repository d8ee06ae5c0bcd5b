import type { NodeInspection } from './inspect.ts';

/**
 * Clock difference above which a warning is shown (ms). With a larger difference, log lines of services and master
 * would be in the wrong sequence.
 */
const CLOCK_OFF_MS = 5_000;

/** Free disk space below which a warning is shown (KiB). With a full disk, worlds cannot be saved and are lost. */
const LITTLE_DISK_KB = 1_048_576;

const MANY_INODES_PERCENT = 95;

/**
 * Returns the most serious problem that does not prevent the node from working, as one sentence; null if there is
 * none.
 *
 * Example: a clock 7,000 ms ahead gives `Its clock is 7 s ahead of the master's; times in its logs are off.`
 */
export function warningOf(found: NodeInspection): string | null {
  if (found.freeKb < LITTLE_DISK_KB) {
    return `Its disk is almost full: ${Math.round(found.freeKb / 1024)} MB are free.`;
  }
  if (found.usedInodesPercent >= MANY_INODES_PERCENT) {
    return `Its disk is almost out of inodes: ${found.usedInodesPercent} % are used.`;
  }
  if (Math.abs(found.clockOffMs) > CLOCK_OFF_MS) {
    const seconds = Math.round(Math.abs(found.clockOffMs) / 1000);
    return `Its clock is ${seconds} s ${found.clockOffMs > 0 ? 'ahead of' : 'behind'} the master's; times in its logs are off.`;
  }
  if (found.firewallProblem !== null) {
    return `Its firewall could not be set up (${found.firewallProblem}). Its game servers can connect to all services.`;
  }
  if (found.java === null && found.javaProblem !== null) {
    return `Java could not be installed (${found.javaProblem}). The installation is retried.`;
  }
  return null;
}
