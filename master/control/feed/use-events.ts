import type { ServiceRecord } from '#master/state/services/records.ts';

/**
 * Maximum number of reported changes between "in use" and "empty", per service and `SPAN_MS`. It leaves room for a
 * busy lobby, which fills and empties every few minutes.
 */
const MOST = 30;
const SPAN_MS = 300_000;

interface ReportCount {
  /** When the time span began (ms since epoch). */
  since: number;
  /** Number of reports in this time span. */
  count: number;
  /** Number of changes that were suppressed since the last report. */
  suppressed: number;
}

/** Counts of reports by service; removed together with the service's record. */
const reportedOf = new WeakMap<ServiceRecord, ReportCount>();

/**
 * Decides whether a change between "in use" and "empty" may be reported now: at most 30 changes of a service in 5
 * min. Game servers and proxies themselves report such changes, and without a limit they could flood the activity
 * log. Each call counts as one change.
 *
 * @param now ms since epoch
 * @returns the number of changes suppressed since the last report; null if this change is suppressed
 */
export function mayReportUse(record: ServiceRecord, now: number): number | null {
  const reported = reportedOf.get(record) ?? { since: now, count: 0, suppressed: 0 };
  reportedOf.set(record, reported);
  // A new time span also begins if the clock was set back.
  if (Math.abs(now - reported.since) >= SPAN_MS) Object.assign(reported, { since: now, count: 0 });
  if (reported.count >= MOST) {
    reported.suppressed += 1;
    return null;
  }
  const { suppressed } = reported;
  Object.assign(reported, { count: reported.count + 1, suppressed: 0 });
  return suppressed;
}
