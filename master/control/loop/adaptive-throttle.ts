import { preciseMs } from '#shared/node/clock.ts';

/** Shortest pause between two calls, ms. */
const SHORTEST_MS = 100;

/** Largest share of time that the work may take: the longer it takes, the longer the pause. */
const PART = 0.1;

/** Longest pause, ms: work that waited for a node used less processor time than it took. */
const LONGEST_MS = 1_000;

/**
 * Runs work soon after it is asked for, at most once per pause. The pause follows from how long the work takes, so that
 * extra rounds use at most a tenth of the time however many calls there are.
 */
export class AdaptiveThrottle {
  readonly #run: () => void;
  #pauseMs = SHORTEST_MS;
  #lastRunAt = -Infinity;
  #timer: NodeJS.Timeout | null = null;

  constructor(run: () => void) {
    this.#run = run;
  }

  /** Runs the work at once when the pause is over, else at its end. Further calls until then are one. */
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
   * Records how long the work took, ms.
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
