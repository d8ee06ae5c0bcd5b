import { MAX_SESSIONS } from './session-book.ts';

interface Known {
  /** Sessions that its plugin has reported; null if it has not reported any to this master. */
  readonly sessions: number | null;
  /** Players by its last status ping; null if it was not answered. */
  readonly pinged: number | null;
  /** Slots that it may hold. More than 0 shows that it has Overworld's plugin. */
  readonly granted: number;
}

/**
 * Returns the players on one proxy. A report of its plugin counts first, even if the plugin is disconnected,
 * because its status pings contain the number of the whole network. Before the first report the ping is used. It is
 * limited to the proxy's allowance if that is known, or else to the maximum of one proxy.
 *
 * Example: no report yet, ping 300, 50 slots granted → 50.
 */
export function headcount({ sessions, pinged, granted }: Known): number {
  if (sessions !== null) return sessions;
  return Math.min(pinged ?? 0, granted > 0 ? granted : MAX_SESSIONS);
}
