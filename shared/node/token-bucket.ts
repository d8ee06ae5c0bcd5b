/**
 * Token bucket: allows a burst, then a constant rate. The caller passes the time, so that the bucket needs no clock.
 */
export class TokenBucket {
  readonly #burst: number;
  readonly #perSecond: number;
  #tokens: number;
  #at: number;

  /**
   * Creates a full bucket.
   *
   * @param now monotonic time (ms)
   */
  constructor({ burst, perSecond, now }: { burst: number; perSecond: number; now: number }) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#tokens = burst;
    this.#at = now;
  }

  /**
   * Takes tokens unless the bucket is empty. One expensive item may overdraw the bucket; the next item then has to
   * wait.
   *
   * Example: burst 10, 5 per second: taking 12 returns 0; taking 1 right after it returns 600.
   *
   * @returns the time to wait before the next try (ms), or 0 if the tokens were taken
   */
  take(cost: number, now: number): number {
    this.#refill(now);
    if (this.#tokens <= 0) return Math.ceil(((1 - this.#tokens) / this.#perSecond) * 1000);
    this.#tokens -= cost;
    return 0;
  }

  /**
   * Takes tokens even if there are too few of them.
   *
   * Example: burst 10, 5 per second: spending 20 returns 2000.
   *
   * @returns the time until the debt is paid (ms), 0 if there is none
   */
  spend(cost: number, now: number): number {
    this.#refill(now);
    this.#tokens -= cost;
    return Math.max(0, (-this.#tokens / this.#perSecond) * 1000);
  }

  #refill(now: number): void {
    // A clock that was set back neither adds nor removes tokens.
    const passed = Math.max(0, now - this.#at);
    this.#tokens = Math.min(this.#burst, this.#tokens + (passed / 1000) * this.#perSecond);
    this.#at = now;
  }
}
