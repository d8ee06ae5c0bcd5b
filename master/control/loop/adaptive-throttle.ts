import { Throttle } from '#shared/node/throttle.ts';

/** Shortest pause between two runs (ms). */
const MIN_PAUSE_MS = 100;

/** Largest share of the time that the work may take. Longer work makes the pause longer. */
const MAX_SHARE = 0.1;

/**
 * Longest pause (ms). A run that waits for a node takes long but uses little processor time, so no longer pause is
 * needed.
 */
const MAX_PAUSE_MS = 1_000;

/**
 * Throttle whose pause depends on how long the work takes, so that extra rounds use at most a tenth of the time,
 * however often they are requested.
 */
export class AdaptiveThrottle extends Throttle {
  readonly #pause: { ms: number };

  constructor(run: () => void) {
    const pause = { ms: MIN_PAUSE_MS };
    super(() => pause.ms, run);
    this.#pause = pause;
  }

  /**
   * Records how long the work took (ms).
   *
   * Example: after 50 ms of work the next run starts 500 ms later at the earliest.
   */
  recordDuration(ms: number): void {
    this.#pause.ms = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, ms / MAX_SHARE));
  }
}
