import { exponentialDelayMs, withJitter } from '#shared/backoff.ts';

/** Delay after the first failure (ms). It doubles with each further failure. */
const FIRST_DELAY_MS = 500;

/** Maximum delay for a booting machine (ms). It is short because the delay prolongs each order. */
export const LONGEST_WHILE_BOOTING_MS = 1_500;

/**
 * Maximum delay for a machine that was ready before (ms). It is short because the machine may return at any moment,
 * and counts as lost after a minute.
 */
export const LONGEST_WHILE_SILENT_MS = 5_000;

/**
 * Computes the delay before the next attempt (ms): 0.5, 1, 2 … s, up to the maximum. The delay is randomly up to half
 * shorter, so that connections to many machines are not restored at the same moment.
 *
 * Example: after 2 failures, with `random` 0.5 and a maximum of 5 s, the delay is 2 s × 0.75 = 1.5 s.
 *
 * @param failures number of consecutive failures, from 0
 * @param longestMs maximum before the random part is applied (ms)
 * @param random from 0 up to 1
 */
export function delayAfter(failures: number, longestMs: number, random: number): number {
  return withJitter(exponentialDelayMs(failures, { firstMs: FIRST_DELAY_MS, maxMs: longestMs }), random);
}
