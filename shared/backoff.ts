/** Limits of an exponential back-off. */
export interface BackoffRange {
  /** Delay after the first failure (ms). */
  readonly firstMs: number;
  /** Maximum delay (ms). */
  readonly maxMs: number;
}

/**
 * Maximum number of doublings that are computed. After this number of doublings, the delay exceeds every maximum in
 * use.
 */
const MAX_DOUBLINGS = 30;

/**
 * Returns the delay before the next try (ms). It doubles with each failure.
 *
 * Example: with 500 ms up to 5 s: 0.5, 1, 2, 4, 5, 5 … s.
 *
 * @param failures number of consecutive failures before the latest one, from 0
 */
export function exponentialDelayMs(failures: number, { firstMs, maxMs }: BackoffRange): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(failures, MAX_DOUBLINGS));
}

/**
 * Shortens a delay at random by up to a half, so that many clients do not retry at the same moment.
 *
 * Example: 8 s with random 0.5 becomes 6 s.
 *
 * @param random number from 0 up to 1
 */
export function withJitter(delayMs: number, random: number): number {
  return delayMs * (0.5 + random / 2);
}
