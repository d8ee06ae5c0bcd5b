import { monotonicMs } from './clock.ts';

/**
 * Returns a function that calls `find` and caches the result. A result of null is not cached, so that a newly
 * installed program is found immediately.
 *
 * Without the cache, an idle master would spend most of its processor time on searching all of PATH every second.
 *
 * @param find searches for something, such as a program; returns null if it finds nothing
 * @param forMs lifetime of a cached result (ms)
 * @param clock monotonic clock (ms)
 */
export function memoize<T extends object | string>(
  find: () => Promise<T | null>,
  forMs: number,
  clock: () => number = monotonicMs,
): () => Promise<T | null> {
  let last: { readonly found: T; readonly at: number } | null = null;
  return async () => {
    if (last !== null && clock() - last.at < forMs) return last.found;
    const found = await find();
    last = found === null ? null : { found, at: clock() };
    return found;
  };
}
