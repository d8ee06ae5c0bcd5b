import type { FakeClock } from '../world/clock.ts';

/** Rate limit of one project: a bucket that is refilled continuously (docs/adr/0018). */
export class RateBucket {
  /** Size of the bucket, which is also the number of requests per hour. */
  limit = 3600;
  #remaining = 3600;
  #at: number;
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
    this.#at = clock.now();
  }

  /**
   * Takes one request from the bucket.
   *
   * @returns false if none is left
   */
  take(): boolean {
    this.#refill();
    if (this.#remaining < 1) return false;
    this.#remaining -= 1;
    return true;
  }

  /** Sets the number of requests left. */
  drainTo(remaining: number): void {
    this.#refill();
    this.#remaining = remaining;
  }

  headers(): Record<string, string> {
    const missing = this.limit - this.#remaining;
    return {
      'RateLimit-Limit': String(this.limit),
      'RateLimit-Remaining': String(Math.floor(this.#remaining)),
      'RateLimit-Reset': String(Math.ceil((this.#at + (missing * 3_600_000) / this.limit) / 1000)),
    };
  }

  #refill(): void {
    const now = this.#clock.now();
    const earned = (Math.max(0, now - this.#at) * this.limit) / 3_600_000;
    this.#remaining = Math.min(this.limit, this.#remaining + earned);
    this.#at = now;
  }
}
