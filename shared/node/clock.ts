/**
 * Monotonic clock of this process, whole ms: for durations and deadlines, which a change of the system time must not
 * affect. `performance.now()` has fractions. Added to a time of day they make a time that no schema accepts, so lint
 * allows this file alone to read it.
 */
export function monotonicMs(): number {
  return Math.floor(performance.now());
}

/** The same clock with its fractions, ms: only to measure work that takes less than some milliseconds. */
export function preciseMs(): number {
  return performance.now();
}

/** When something is due, on the monotonic clock. Due at once until {@link Deadline.set}. */
export class Deadline {
  readonly #clock: () => number;
  #at = -Infinity;

  constructor(clock: () => number = monotonicMs) {
    this.#clock = clock;
  }

  get isOver(): boolean {
    return this.#clock() >= this.#at;
  }

  /** Time until then, whole ms; 0 once it is over. */
  get leftMs(): number {
    return Math.max(0, this.#at - this.#clock());
  }

  /** @param ms from now; a fraction, as of a time that is scaled, is rounded up */
  set(ms: number): void {
    this.#at = this.#clock() + Math.ceil(ms);
  }

  /** Makes it due at once. */
  clear(): void {
    this.#at = -Infinity;
  }
}
