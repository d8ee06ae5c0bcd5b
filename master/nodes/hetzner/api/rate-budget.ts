/** Remaining requests of the project's hourly limit, as reported with each answer (docs/adr/0018). */
export class RateBudget {
  #limit = 3600;
  #remaining = 3600;

  /** Requests that are left, and the limit per hour, as last reported. */
  get requests(): { readonly left: number; readonly perHour: number } {
    return { left: this.#remaining, perHour: this.#limit };
  }

  /** Reads the remaining budget from the headers of an answer. */
  note(header: (name: string) => unknown): void {
    const limit = Number(header('ratelimit-limit') ?? NaN);
    const remaining = Number(header('ratelimit-remaining') ?? NaN);
    if (Number.isFinite(limit) && limit > 0) this.#limit = limit;
    if (Number.isFinite(remaining)) this.#remaining = Math.max(0, remaining);
  }

  /**
   * Factor by which polling intervals are extended: 1 while at least half of the budget is left, up to 10 when it
   * is used up. Orders and releases are not slowed down, because the rest of the budget is reserved for them.
   *
   * Example: with a quarter of the budget left it is 5.5.
   */
  get slowdown(): number {
    const left = this.#remaining / this.#limit;
    return left >= 0.5 ? 1 : 1 + (0.5 - left) * 18;
  }
}
