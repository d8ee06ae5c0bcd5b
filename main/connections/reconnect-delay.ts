import { exponentialDelayMs, withJitter, type BackoffRange } from '#shared/backoff.ts';

/** Delays between attempts to reconnect. */
export const RETRY: BackoffRange = { firstMs: 1000, maxMs: 30_000 };

/**
 * Returns the delay before the next attempt (ms). Its maximum doubles with each failure: 1, 2, 4 … 30 s. The delay is
 * random, between half of the maximum and the maximum, so that many apps do not reconnect to a restarted master at
 * the same moment. The delay is never shorter than 1 s.
 *
 * Example: after 3 failures with random 0.5: 8 s × 0.75 = 6 s.
 *
 * @param failures consecutive failures before this one
 * @param random random number in [0, 1)
 */
export function delayAfter(failures: number, random: number): number {
  return Math.max(RETRY.firstMs, withJitter(exponentialDelayMs(failures, RETRY), random));
}
