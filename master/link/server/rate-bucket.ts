/** Rate limiter with a burst (token bucket). The caller passes the time. */
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
   * Takes tokens if there are any. A large cost may overdraw the bucket; the next one then waits.
   *
   * Example: with an empty bucket and 10 tokens per second, the next take has to wait 100 ms.
   *
   * @returns ms to wait; 0 if the tokens were taken
   */
  take(cost: number, now: number): number {
    // A clock that was set back adds no tokens and removes none.
    const passed = Math.max(0, now - this.#at);
    this.#tokens = Math.min(this.#burst, this.#tokens + (passed / 1000) * this.#perSecond);
    this.#at = now;
    if (this.#tokens <= 0) return Math.ceil(((1 - this.#tokens) / this.#perSecond) * 1000);
    this.#tokens -= cost;
    return 0;
  }
}
