import type { Logger } from 'pino';
import type { BackoffLimits } from '#master/core/placement/backoff-delay.ts';
import type { PingPeriods } from '#master/core/ping-schedule.ts';

/** Time limits of the control loop (ms). Tests use shorter ones. */
export interface Limits {
  /** Pause between rounds while nothing happens. */
  readonly roundMs: number;
  /** A service that answers no ping within this time of its start has failed, unless its log still changes. */
  readonly startTimeoutMs: number;
  /** After `startTimeoutMs`, a start fails if its log has not changed for this time. */
  readonly startQuietMs: number;
  /** Maximum time of a start, whatever it logs. */
  readonly startMaximumMs: number;
  /** A running service that answers no ping for this time is marked unresponsive. */
  readonly unresponsiveAfterMs: number;
  /** Time that a server has to save its worlds before it is killed. */
  readonly stopGraceMs: number;
  readonly backoff: BackoffLimits;
  readonly pings: PingPeriods;
}

/** The clock, the log and the time limits of the control loop. */
export interface Environment {
  /** Returns the wall-clock time (ms since epoch). */
  readonly now: () => number;
  readonly log: Logger;
  readonly limits: Limits;
}
