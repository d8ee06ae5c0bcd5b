/**
 * The monotonic clock of this process, in whole milliseconds: for durations, which nobody's setting of the clock changes.
 * `performance.now()` has fractions. Added to a time of day they make a time that no schema accepts, so this is the only
 * place that reads it.
 */
export function monotonicMs(): number {
  return Math.floor(performance.now());
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
