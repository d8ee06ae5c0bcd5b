import type { MasterConfig } from '#shared/config/master.ts';

/** How many saves of a volume are kept (docs/specification.md#volumes). */
export type Retention = MasterConfig['volumes']['retention'];

const DAY_MS = 86_400_000;
/** The first Monday after the epoch, 1970-01-05 (days since the epoch). */
const FIRST_MONDAY = 4;

/** A save, as the retention sees it. */
export interface DatedSave {
  readonly id: string;
  /** Moment of its content (ms since epoch). */
  readonly at: number;
  /**
   * Time at which it became the newest save (ms since epoch). It only shows the sequence: it is later than `at` if
   * the save was restored, or if the clock was ahead during an earlier save.
   */
  readonly storedAt: number;
}

/**
 * Returns the ids of the saves that the retention does not keep. The retention keeps the `last` saves that were
 * stored last, the newest save of each of the last `daily` days, and the newest save of each of the last `weekly`
 * weeks (UTC, from Monday). Each save belongs to the day and week of its content. Days and weeks without a save are
 * not counted. The save that was stored last is always kept.
 *
 * Example: `last` 1, `daily` 1, `weekly` 0, with saves at 10:00 and 12:00 of the same day → the one of 10:00.
 *
 * @param saves in any order
 */
export function savesToRemove(saves: readonly DatedSave[], { last, daily, weekly }: Retention): string[] {
  const newestFirst = saves.toSorted((a, b) => b.storedAt - a.storedAt || (a.id < b.id ? 1 : -1));
  const latestFirst = newestFirst.toSorted((a, b) => b.at - a.at);
  // `daily` and `weekly` apply to both sequences, which differ only after a restore, or if the clock was wrong. By
  // content, a restored old save does not take the place of another day. By storage time, a save with a wrong date in
  // the future takes the place of another day only until newer saves replace it.
  const kept = new Set([
    ...newestFirst.slice(0, Math.max(1, last)),
    ...[newestFirst, latestFirst].flatMap((sequence) => [
      ...firstOfEach(sequence, dayOf).slice(0, daily),
      ...firstOfEach(sequence, weekOf).slice(0, weekly),
    ]),
  ]);
  return newestFirst.flatMap((one) => (kept.has(one) ? [] : [one.id]));
}

function dayOf({ at }: DatedSave): number {
  return Math.floor(at / DAY_MS);
}

function weekOf(save: DatedSave): number {
  return Math.floor((dayOf(save) - FIRST_MONDAY) / 7);
}

/** Returns the first entry of each group, in the sequence of the list. */
function firstOfEach<T>(sequence: readonly T[], groupOf: (entry: T) => number): T[] {
  const seen = new Set<number>();
  return sequence.filter((entry) => {
    const group = groupOf(entry);
    if (seen.has(group)) return false;
    seen.add(group);
    return true;
  });
}
