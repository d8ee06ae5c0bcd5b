import type { Logger } from 'pino';
import type { BackoffLimits } from '#master/core/placement/backoff-delay.ts';
import type { PingPeriods } from '#master/core/ping-schedule.ts';
import type { MoveMark } from '#master/store/move-mark.ts';

/** Time limits of the control loop (ms). Tests use shorter ones. */
export interface Limits {
  /** Pause between rounds while nothing happens. */
  readonly roundMs: number;
  /**
   * Once the template's start timeout has passed, a start fails when the service's log has not changed for this time.
   */
  readonly startQuietMs: number;
  /** Maximum time of a start, even if the service still writes to its log. */
  readonly startMaximumMs: number;
  /** Time without an answered ping after which a running service is marked unresponsive. */
  readonly unresponsiveAfterMs: number;
  readonly backoff: BackoffLimits;
  readonly pings: PingPeriods;
}

/** The clock, the log and the time limits of the control loop. */
export interface Environment {
  /** Returns the wall-clock time (ms since epoch). */
  readonly now: () => number;
  readonly log: Logger;
  readonly limits: Limits;
  /** Tells whether the data folder was just moved to this machine. Absent if it was not. */
  readonly moveMark?: Pick<MoveMark, 'isSet' | 'clear'>;
}
