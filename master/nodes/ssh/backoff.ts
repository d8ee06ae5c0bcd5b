/** First wait after a failure, ms; doubled from one to the next. */
const FIRST_DELAY_MS = 500;

/** Longest wait for a machine that boots: what it costs to notice late is paid at each order. */
export const LONGEST_WHILE_BOOTING_MS = 1_500;

/** Longest wait for one that was ready: it may come back at any moment, and counts as lost after a minute. */
export const LONGEST_WHILE_SILENT_MS = 5_000;

/**
 * Wait before the next try: 0.5, 1, 2 … s up to the longest, of which the upper half is random, so that the
 * connections to many machines do not come back in the same moment. After 2 failures, random 0.5, longest 5 s:
 * 2 s × 0.75 = 1.5 s.
 *
 * @param failures in a row before this wait, from 0
 * @param longestMs the doubling ends here
 * @param random from 0 up to 1
 */
export function delayAfter(failures: number, longestMs: number, random: number): number {
  const longest = Math.min(FIRST_DELAY_MS * 2 ** failures, longestMs);
  return longest * (0.5 + random / 2);
}
