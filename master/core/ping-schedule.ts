/** Time between status pings of one service that is up (ms). */
export interface PingPeriods {
  /** Interval for a service without a linked plugin. Its players are known from pings only. */
  readonly usualMs: number;
  /**
   * Interval for a service with a linked plugin. The plugin reports the players; pings only check whether the service
   * still answers.
   */
  readonly linkedMs: number;
}

/**
 * Default intervals. The interval for linked services is long because a proxy logs a line for each ping: one ping per
 * second would add about 90,000 lines a day.
 */
export const DEFAULT_PING_PERIODS: PingPeriods = { usualMs: 1_000, linkedMs: 60_000 };

/** Facts that decide when a service is pinged next. */
export interface PingHistory {
  /** Time since the service's start began (ms); null if it is not starting. */
  readonly startingForMs: number | null;
  /** Whether the service's plugin reports its players and the service's node can be reached. */
  readonly linked: boolean;
  /** Whether the service answered its latest ping; null before the first ping. */
  readonly answered: boolean | null;
  /** Value from 0 to below 1 that keeps the pings of different services apart; see {@link pingSpread}. */
  readonly spread: number;
}

/** Shortest pause between pings of a starting service (ms). A small server is ready within 100 ms. */
const SHORTEST_MS = 10;

/** Longest pause between pings of a starting service (ms). */
const LONGEST_START_MS = 500;

/**
 * Pause before the next ping, as a share of the time that the start has taken so far. Readiness is thus detected with
 * a delay of at most 2 % of the start time.
 */
const START_SHARE = 0.02;

/**
 * Maximum share by which a period is shortened, so that services that started together are not always pinged
 * together.
 */
const JITTER = 0.1;

/**
 * Returns the pause before the next ping of a service (ms). If a service with a plugin did not answer its latest
 * ping, it is pinged as often as a service without a plugin, so that a hang is detected soon.
 *
 * Example: during a start, the pause is 10 ms after 0.1 s, 100 ms after 5 s, and 500 ms after 1 min.
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

/**
 * Returns a number from 0 to below 1 that depends only on the id. The numbers of different ids are evenly distributed
 * (FNV-1a).
 */
export function pingSpread(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  // Ids differ mostly in their last characters, which would otherwise change only the low bits.
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
