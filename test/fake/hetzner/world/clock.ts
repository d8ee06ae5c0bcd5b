/** Clock of the fake (ms since epoch). Runs at the speed of real time, and can be moved forward or stopped. */
export class FakeClock {
  #offsetMs = 0;
  #frozenAt: number | null = null;

  now(): number {
    return this.#frozenAt ?? Date.now() + this.#offsetMs;
  }

  /** Moves the clock forward. Actions that become due take effect at the next access. */
  advance(ms: number): void {
    if (this.#frozenAt === null) this.#offsetMs += ms;
    else this.#frozenAt += ms;
  }

  /** Stops the clock. Until it is resumed, only {@link FakeClock.advance} moves it. */
  freeze(): void {
    this.#frozenAt ??= this.now();
  }

  resume(): void {
    if (this.#frozenAt === null) return;
    this.#offsetMs = this.#frozenAt - Date.now();
    this.#frozenAt = null;
  }
}

/**
 * Formats a time in the API's format: ISO 8601 without milliseconds.
 *
 * Example: `toTime(0)` is `1970-01-01T00:00:00+00:00`.
 */
export function toTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, '+00:00');
}
