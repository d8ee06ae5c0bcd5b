import type { Logger } from 'pino';
import type { BackoffLimits } from '#master/core/placement/backoff.ts';
import type { PingPeriods } from '#master/core/ping-schedule.ts';

/** Limits of time of the control loop, ms. Tests set shorter ones. */
export interface Limits {
  /** Pause between rounds when nothing happens. */
  readonly roundMs: number;
  /** A service that answers no ping within this time of its start has failed, unless its log still moves. */
  readonly startTimeoutMs: number;
  /** A log that has not moved for this time does not excuse a longer start. */
  readonly startQuietMs: number;
  /** No start takes longer, whatever its log says. */
  readonly startMaximumMs: number;
  /** A running service that answers no ping for this time is marked unresponsive. */
  readonly unresponsiveAfterMs: number;
  /** Time that a server gets to save its worlds before it is killed. */
  readonly stopGraceMs: number;
  readonly backoff: BackoffLimits;
  readonly pings: PingPeriods;
}

/** The clock, the log and the limits of time that the control loop works with. */
export interface Environment {
  /** Wall clock, ms since epoch. */
  readonly now: () => number;
  readonly log: Logger;
  readonly limits: Limits;
}
