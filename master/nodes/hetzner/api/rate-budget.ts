/** What is left of the requests that the project may make in an hour, as told with each answer (docs/adr/0018). */
export class RateBudget {
  #limit = 3600;
  #remaining = 3600;

  /** Reads the headers of an answer. */
  note(header: (name: string) => unknown): void {
    const limit = Number(header('ratelimit-limit') ?? NaN);
    const remaining = Number(header('ratelimit-remaining') ?? NaN);
    if (Number.isFinite(limit) && limit > 0) this.#limit = limit;
    if (Number.isFinite(remaining)) this.#remaining = Math.max(0, remaining);
  }

  /**
   * By how much to stretch what is asked again and again: 1 as long as half of the budget is left, 10 when it is used up.
   * Orders and releases go on as they are: they are what the rest is kept for.
   */
  get slowdown(): number {
    const left = this.#remaining / this.#limit;
    return left >= 0.5 ? 1 : 1 + (0.5 - left) * 18;
  }
}
