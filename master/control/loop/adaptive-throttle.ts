import { Throttle } from '#shared/node/throttle.ts';

/** Shortest pause between two runs (ms). */
const MIN_PAUSE_MS = 100;

/** Maximum share of the time that the work may take. The longer the work takes, the longer the pause after it. */
const MAX_SHARE = 0.1;

/**
 * Maximum pause (ms). A run that waits for a node takes long but uses little processor time, so it does not need a
 * longer pause.
 */
const MAX_PAUSE_MS = 1_000;

/**
 * Throttle whose pause depends on the duration of the last run. The pause is ten times that duration, but at least
 * 100 ms and at most 1 s. Runs of up to 100 ms therefore use at most about a tenth of the time, however often they
 * are requested.
 */
export class AdaptiveThrottle extends Throttle {
  readonly #pause: { ms: number };

  constructor(run: () => void) {
    const pause = { ms: MIN_PAUSE_MS };
    super(() => pause.ms, run);
    this.#pause = pause;
  }

  /**
   * Sets the next pause from the duration of the last run (ms).
   *
   * Example: after a run of 50 ms, the next run starts at least 500 ms later.
   */
  recordDuration(ms: number): void {
    this.#pause.ms = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, ms / MAX_SHARE));
  }
}
