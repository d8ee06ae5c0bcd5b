import type { ServiceRecord } from '../services/records.ts';

/** What becomes of one service is told at most so often in so many ms: a busy lobby fills and empties every few minutes. */
const MOST = 30;
const SPAN_MS = 300_000;

interface Told {
  /** When the span began. */
  since: number;
  /** In this span. */
  count: number;
  /** Since it was told last. */
  untold: number;
}

/** What was told of a service; forgotten with the record. */
const toldOf = new WeakMap<ServiceRecord, Told>();

/**
 * Whether that a service is in use, or empty again, may be told now. Who is on a service, and whether it is in use, is its own
 * word or that of proxies: one that says something else many times a second would wash all else out of the activity log.
 *
 * @param now ms since epoch
 * @returns how many times it was not told since the last time; null: not to be told now either
 */
export function mayReportUse(record: ServiceRecord, now: number): number | null {
  const told = toldOf.get(record) ?? { since: now, count: 0, untold: 0 };
  toldOf.set(record, told);
  // A clock that was set back begins a new span, too.
  if (Math.abs(now - told.since) >= SPAN_MS) Object.assign(told, { since: now, count: 0 });
  if (told.count >= MOST) {
    told.untold += 1;
    return null;
  }
  const { untold } = told;
  Object.assign(told, { count: told.count + 1, untold: 0 });
  return untold;
}
