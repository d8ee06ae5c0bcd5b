import type { ApiProblem } from './api-problem.ts';

/** Tries of one request, the first one included: the official client's. */
export const MAX_TRIES = 6;

/** The longest wait between two tries, ms. */
const MAX_DELAY_MS = 60_000;

/** Refused now, and taken a little later, as the official client sees it. */
const PASSING = ['conflict', 'rate_limit_exceeded'];

/**
 * Whether to ask again.
 *
 * @param isRepeatable doing it twice is as good as once. If not, it is asked again only when nothing was done
 */
export function isWorthRetrying(problem: ApiProblem, isRepeatable: boolean): boolean {
  return problem.outcome === 'refused' ? PASSING.includes(problem.code) : isRepeatable;
}

/**
 * How long to wait before the next try: doubled each time, at most 60 s, and up to half of it less by chance, so that
 * what failed together is not asked together again.
 *
 * @param tries made so far, from 1
 * @param firstMs the first wait
 * @param chance from 0 to 1
 */
export function retryDelayMs(tries: number, firstMs: number, chance: number): number {
  return Math.min(MAX_DELAY_MS, firstMs * 2 ** (tries - 1)) * (1 - chance / 2);
}
