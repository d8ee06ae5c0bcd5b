import { monotonicMs } from './clock.ts';

/**
 * Returns a function that calls `find` and caches what it found. A call that finds nothing is not cached, so that a
 * newly installed program is found immediately.
 *
 * Searching all of PATH every second would be most of the work of an idle master.
 *
 * @param find searches for something, such as a program; null if there is none
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
