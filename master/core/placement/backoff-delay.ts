import { exponentialDelayMs } from '#shared/backoff.ts';

export interface BackoffLimits {
  /** Delay after the first failure (ms). */
  readonly baseMs: number;
  /** Maximum delay (ms). */
  readonly maxMs: number;
  /** Maximum delay after a start that timed out (ms). */
  readonly slowMaxMs: number;
}

/**
 * Default delays. Five seconds let an admin see what happened; five minutes keep a broken template from overloading
 * a node.
 */
export const DEFAULT_BACKOFF: BackoffLimits = { baseMs: 5_000, maxMs: 300_000, slowMaxMs: 3_600_000 };

/**
 * Returns the delay after a number of failed attempts in a row (ms). The delay doubles with each attempt, up to
 * `maxMs`. After a start that timed out, the first delay is at least as long as this start ran, because the start
 * used the node's memory and CPU all that time. In this case, the maximum is `slowMaxMs`.
 *
 * Example: 5 s, 10 s, 20 s, … 300 s; after starts of 5 min: 5 min, 10 min, … 60 min.
 *
 * @param attempts ≥ 1
 * @param timedOutMs how long the last start ran before it timed out (ms); 0 for other failures
 */
export function backoffMs(
  attempts: number,
  { baseMs, maxMs, slowMaxMs }: BackoffLimits,
  timedOutMs = 0,
): number {
  const longest = timedOutMs > 0 ? Math.max(maxMs, slowMaxMs) : maxMs;
  return exponentialDelayMs(attempts - 1, { firstMs: Math.max(baseMs, timedOutMs), maxMs: longest });
}
