import type { MasterConfig } from '#shared/config/master.ts';

/** How many saves of a volume are kept (docs/specification.md#volumes). */
export type Retention = MasterConfig['volumes']['retention'];

const DAY_MS = 86_400_000;
/** The first Monday after the epoch, 1970-01-05 (days since the epoch). */
const FIRST_MONDAY = 4;

/**
 * Returns the ids of the saves that the retention does not keep. The retention keeps the newest `last` saves, the
 * newest save of each of the last `daily` days, and the newest save of each of the last `weekly` weeks (UTC, from
 * Monday). Days and weeks without a save are not counted. The newest save is always kept.
 *
 * Example: `last` 1, `daily` 1, `weekly` 0, with saves at 10:00 and 12:00 of the same day → the one of 10:00.
 *
 * @param saves in any order; `at` is in ms since epoch
 */
export function savesToRemove(
  saves: readonly { readonly id: string; readonly at: number }[],
  { last, daily, weekly }: Retention,
): string[] {
  const newestFirst = saves.toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
  const day = ({ at }: { readonly at: number }): number => Math.floor(at / DAY_MS);
  const kept = new Set([
    ...newestFirst.slice(0, Math.max(1, last)),
    ...newestOfEach(newestFirst, day).slice(0, daily),
    ...newestOfEach(newestFirst, (one) => Math.floor((day(one) - FIRST_MONDAY) / 7)).slice(0, weekly),
  ]);
  return newestFirst.flatMap((one) => (kept.has(one) ? [] : [one.id]));
}

/** Returns the first entry of each group, in the sequence of the list. */
function newestOfEach<T>(newestFirst: readonly T[], groupOf: (entry: T) => number): T[] {
  const seen = new Set<number>();
  return newestFirst.filter((entry) => {
    const group = groupOf(entry);
    if (seen.has(group)) return false;
    seen.add(group);
    return true;
  });
}
