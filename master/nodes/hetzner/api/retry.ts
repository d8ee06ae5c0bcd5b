import { exponentialDelayMs, withJitter } from '#shared/backoff.ts';
import type { ApiProblem } from './api-problem.ts';

/** Maximum number of attempts of one request, as in the official client. */
export const MAX_TRIES = 6;

/** Maximum delay between two attempts (ms). */
const MAX_DELAY_MS = 60_000;

/** Codes of temporary refusals, which are retried, as in the official client. */
const PASSING = ['conflict', 'rate_limit_exceeded'];

/**
 * Reports whether a failed request is retried.
 *
 * Example: a refusal with the code `conflict` is retried; an unknown outcome only if the request is repeatable.
 *
 * @param isRepeatable whether the request is idempotent. A request that is not idempotent is retried only if the
 *   provider did nothing
 */
export function isWorthRetrying(problem: ApiProblem, isRepeatable: boolean): boolean {
  return problem.outcome === 'refused' ? PASSING.includes(problem.code) : isRepeatable;
}

/**
 * Computes the delay before the next attempt (ms): doubled each time, at most 60 s, and randomly up to half
 * shorter, so that requests that failed together are not repeated together.
 *
 * Example: `retryDelayMs(3, 1000, 0.5)` is 4,000 × 0.75 = 3,000 ms.
 *
 * @param tries number of attempts so far, from 1
 * @param firstMs first delay (ms)
 * @param chance random number from 0 to 1
 */
export function retryDelayMs(tries: number, firstMs: number, chance: number): number {
  return withJitter(exponentialDelayMs(tries - 1, { firstMs, maxMs: MAX_DELAY_MS }), 1 - chance);
}
