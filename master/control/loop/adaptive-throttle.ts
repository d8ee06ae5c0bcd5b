import { preciseMs } from '#shared/node/clock.ts';

/** Shortest pause between two runs (ms). */
const SHORTEST_MS = 100;

/** Maximum share of time that the work may take: longer work leads to longer pauses. */
const PART = 0.1;

/** Longest pause (ms). Work that waits for a node takes longer than the processor time it uses. */
const LONGEST_MS = 1_000;

/**
 * Runs work soon after it is requested, at most once per pause. The pause depends on how long the work takes, so
 * that extra rounds use at most a tenth of the time, however many calls there are.
 */
export class AdaptiveThrottle {
  readonly #run: () => void;
  #pauseMs = SHORTEST_MS;
  #lastRunAt = -Infinity;
  #timer: NodeJS.Timeout | null = null;

  constructor(run: () => void) {
    this.#run = run;
  }

  /** Runs the work now, or when the pause is over. Calls until then are combined into one run. */
  call(): void {
    if (this.#timer !== null) return;
    const waitMs = Math.max(0, this.#lastRunAt + this.#pauseMs - preciseMs());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#lastRunAt = preciseMs();
      this.#run();
    }, waitMs);
  }

  /**
   * Records how long the work took (ms), which sets the next pause.
   *
   * Example: after 50 ms of work the next run starts 500 ms later at the earliest.
   */
  recordDuration(ms: number): void {
    this.#pauseMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ms / PART));
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
