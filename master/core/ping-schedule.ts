/** Pause between status pings of one service that is up, ms. */
export interface PingPeriods {
  /** Of a service whose players only its pings tell. */
  readonly usualMs: number;
  /** Of a service whose plugin tells them: its pings only prove that it still answers. */
  readonly linkedMs: number;
}

/** A proxy writes a line into its log for each ping: once a second that is about 90,000 lines a day. */
export const DEFAULT_PING_PERIODS: PingPeriods = { usualMs: 1_000, linkedMs: 60_000 };

/** What decides when a service is pinged next. */
export interface PingHistory {
  /** How long its start has taken so far, ms; null when it does not start. */
  readonly startingForMs: number | null;
  /** Its plugin tells the master who is on it, and its node can be reached. */
  readonly linked: boolean;
  /** Whether its newest ping was answered; null before the first. */
  readonly answered: boolean | null;
  /** From {@link pingSpread}. */
  readonly spread: number;
}

/** Shortest pause of a service that starts, ms: a small server is ready in a tenth of a second. */
const SHORTEST_MS = 10;

/** Longest pause of a service that starts, ms. */
const LONGEST_START_MS = 500;

/** A pause is this share of the time that the start has taken: readiness is never seen more than 2 % late. */
const START_SHARE = 0.02;

/** A period is shortened by at most this share, so that services that began together are not pinged together for ever. */
const JITTER = 0.1;

/**
 * Pause before the next ping of a service, ms. A service that is linked but has not answered its newest ping is pinged
 * as often as one without a plugin: whether it hangs is decided soon.
 *
 * Example of a start: after 0.1 s again in 10 ms, after 5 s in 100 ms, after a minute in 500 ms.
 */
export function pingPauseMs(
  { startingForMs, linked, answered, spread }: PingHistory,
  { usualMs, linkedMs }: PingPeriods,
): number {
  if (answered === null) return SHORTEST_MS;
  if (startingForMs !== null)
    return Math.min(LONGEST_START_MS, Math.max(SHORTEST_MS, startingForMs * START_SHARE));
  return (linked && answered ? linkedMs : usualMs) * (1 - JITTER * spread);
}

/** A fixed number from 0 to below 1 for each id, evenly distributed (FNV-1a). */
export function pingSpread(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  // The last characters of ids differ most and would change only the low bits.
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
