import { MAX_SESSIONS } from './session-book.ts';

interface Known {
  /** Sessions, by what its plugin has said; null when it has not said in this master's life. */
  readonly sessions: number | null;
  /** Players by its last status ping, null without an answer. */
  readonly pinged: number | null;
  /** Slots that it may hold: more than 0 shows that it has our plugin. */
  readonly granted: number;
}

/**
 * Players on one proxy. What the plugin has said goes first, also when it is silent: the number in its status pings is that
 * of the whole network (the plugin sets it), so it tells little of one proxy. Until the plugin is heard for the first time
 * the ping has to do; it is cut to what the proxy may hold, where that is known from before, and never more
 * than there can be on one.
 */
export function headcount({ sessions, pinged, granted }: Known): number {
  if (sessions !== null) return sessions;
  return Math.min(pinged ?? 0, granted > 0 ? granted : MAX_SESSIONS);
}
