export interface BackoffLimits {
  /** Wait after the first failure, ms. */
  readonly baseMs: number;
  /** Longest wait, ms. */
  readonly maxMs: number;
}

/** Five seconds let an admin see what happened; five minutes keep a broken template from melting a node. */
export const DEFAULT_BACKOFF: BackoffLimits = { baseMs: 5_000, maxMs: 300_000 };

/**
 * How long to wait after a number of failed attempts in a row: doubles each time.
 *
 * Example: 5 s, 10 s, 20 s, … 300 s.
 *
 * @param attempts ≥ 1
 */
export function backoffMs(attempts: number, { baseMs, maxMs }: BackoffLimits): number {
  return Math.min(maxMs, baseMs * 2 ** Math.min(attempts - 1, 30));
}
