import type { ServiceRecord } from '../services/records.ts';

/** Maximum number of reported changes of use per service and span: a busy lobby fills and empties every few minutes. */
const MOST = 30;
const SPAN_MS = 300_000;

interface Told {
  /** When the span began (ms since epoch). */
  since: number;
  /** Number of reports in this span. */
  count: number;
  /** Number of suppressed reports since the last one. */
  untold: number;
}

/** Reports per service; dropped together with the record. */
const reportedOf = new WeakMap<ServiceRecord, Told>();

/**
 * Decides whether a change of use (in use, or empty again) may be reported now. Use is known from the service
 * itself or from proxies, so one that changes its answer many times a second would flood the activity log.
 *
 * @param now ms since epoch
 * @returns the number of changes suppressed since the last report; null if this one is suppressed, too
 */
export function mayReportUse(record: ServiceRecord, now: number): number | null {
  const reported = reportedOf.get(record) ?? { since: now, count: 0, untold: 0 };
  reportedOf.set(record, reported);
  // A clock that was set back also begins a new span.
  if (Math.abs(now - reported.since) >= SPAN_MS) Object.assign(reported, { since: now, count: 0 });
  if (reported.count >= MOST) {
    reported.untold += 1;
    return null;
  }
  const { untold } = reported;
  Object.assign(reported, { count: reported.count + 1, untold: 0 });
  return untold;
}
