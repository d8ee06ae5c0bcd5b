/**
 * Returns the monotonic clock of this process (whole ms), for durations and deadlines that a change of the system
 * time must not affect.
 *
 * `performance.now()` has fractions, which make a timestamp invalid for every schema. Therefore lint allows only
 * this file to call it.
 */
export function monotonicMs(): number {
  return Math.floor(performance.now());
}

/** Returns the monotonic clock with fractions (ms). Only for measurements of a few milliseconds. */
export function preciseMs(): number {
  return performance.now();
}

/** A deadline on the monotonic clock. A new deadline counts as expired until {@link Deadline.set} is called. */
export class Deadline {
  readonly #clock: () => number;
  #at = -Infinity;

  constructor(clock: () => number = monotonicMs) {
    this.#clock = clock;
  }

  get isOver(): boolean {
    return this.#clock() >= this.#at;
  }

  /** Remaining time (whole ms). 0 if the deadline has expired. */
  get leftMs(): number {
    return Math.max(0, this.#at - this.#clock());
  }

  /**
   * Sets the deadline.
   *
   * @param ms time from now; fractions are rounded up
   */
  set(ms: number): void {
    this.#at = this.#clock() + Math.ceil(ms);
  }

  /** Makes the deadline expire immediately. */
  clear(): void {
    this.#at = -Infinity;
  }
}
