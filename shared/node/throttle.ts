import { monotonicMs } from './clock.ts';

/**
 * Runs an action shortly after each call, but at most once per pause. Calls during a pause are combined into one run
 * at the end of the pause, so that the last change is never lost.
 */
export class Throttle {
  readonly #pauseMs: () => number;
  readonly #run: () => void;
  #timer: NodeJS.Timeout | null = null;
  #lastRunAt = -Infinity;

  /**
   * Creates a throttle that runs `run`.
   *
   * @param pauseMs the shortest time between two runs (ms), read at each call
   */
  constructor(pauseMs: () => number, run: () => void) {
    this.#pauseMs = pauseMs;
    this.#run = run;
  }

  /** Runs the action in the next turn of the event loop if the pause is over, else at the end of the pause. */
  call(): void {
    if (this.#timer !== null) return;
    const waitMs = Math.max(0, this.#lastRunAt + this.#pauseMs() - monotonicMs());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#lastRunAt = monotonicMs();
      this.#run();
    }, waitMs);
    // A pending run must not keep the process alive when the process has nothing else to do.
    this.#timer.unref();
  }

  /** Cancels a pending run. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
