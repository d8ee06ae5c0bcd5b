import { monotonicMs } from './clock.ts';

/**
 * A search whose find is good for a while: programs are installed and removed once in months, and a look through all of
 * PATH each second is most of what an idle master does. What was not found is searched again each time, so that it is
 * seen as soon as it is installed.
 *
 * @param forMs how long a find is believed, ms
 * @param clock ms, one that nobody sets
 */
export function remembered<T extends object | string>(
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
