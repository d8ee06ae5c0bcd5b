import { Throttle } from '#shared/node/throttle.ts';

/** Shortest pause between two runs (ms). */
const MIN_PAUSE_MS = 100;

/** Maximum share of the time that the work may take. The longer the work takes, the longer the pause after it. */
const MAX_SHARE = 0.1;

/**
 * Maximum pause (ms). A run that only waits for a node takes long but uses little processor time, so it needs no
 * longer pause than this.
 */
const MAX_PAUSE_MS = 1_000;

/**
 * Throttle whose pause depends on how long the last run took: ten times as long, but at least 100 ms and at most 1 s.
 * However often runs are requested, those of up to 100 ms use at most about a tenth of the time.
 */
export class AdaptiveThrottle extends Throttle {
  readonly #pause: { ms: number };

  constructor(run: () => void) {
    const pause = { ms: MIN_PAUSE_MS };
    super(() => pause.ms, run);
    this.#pause = pause;
  }

  /**
   * Sets the next pause from how long the work took (ms).
   *
   * Example: after 50 ms of work the next run starts 500 ms later at the earliest.
   */
  recordDuration(ms: number): void {
    this.#pause.ms = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, ms / MAX_SHARE));
  }
}
