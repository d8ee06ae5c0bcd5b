/** So much at once, and so much a second after that (token bucket). Time comes in as an argument. */
export class RateBucket {
  readonly #burst: number;
  readonly #perSecond: number;
  #tokens: number;
  #at: number;

  constructor({ burst, perSecond, now }: { burst: number; perSecond: number; now: number }) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#tokens = burst;
    this.#at = now;
  }

  /**
   * Takes so much out of it, if there is anything in it: one large thing may overdraw it, the next then waits.
   *
   * @returns ms to wait, 0 when it was taken
   */
  take(cost: number, now: number): number {
    // A clock that was set back gives nothing, and takes nothing.
    const passed = Math.max(0, now - this.#at);
    this.#tokens = Math.min(this.#burst, this.#tokens + (passed / 1000) * this.#perSecond);
    this.#at = now;
    if (this.#tokens <= 0) return Math.ceil(((1 - this.#tokens) / this.#perSecond) * 1000);
    this.#tokens -= cost;
    return 0;
  }
}
