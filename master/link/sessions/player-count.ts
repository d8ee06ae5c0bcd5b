import { MAX_SESSIONS } from './player-sessions.ts';

interface Known {
  /** Number of sessions that the proxy's plugin has reported; null if it has not reported any to this master. */
  readonly sessions: number | null;
  /** Number of players according to the latest status ping; null if it was not answered. */
  readonly pinged: number | null;
  /** Number of slots that the proxy may use. More than 0 proves that the proxy has Overworld's plugin. */
  readonly granted: number;
}

/**
 * Returns the number of players on one proxy. The report of its plugin is preferred, even if the plugin is
 * disconnected, because the proxy's status pings contain the players of the whole network. Before the first report,
 * the ping is used. It is limited to the proxy's allowance if that is known, otherwise to the maximum number of
 * players of one proxy.
 *
 * Example: no report yet, ping 300, 50 slots granted → 50.
 */
export function playersOnProxy({ sessions, pinged, granted }: Known): number {
  if (sessions !== null) return sessions;
  return Math.min(pinged ?? 0, granted > 0 ? granted : MAX_SESSIONS);
}
