/** Time of the fake's world, ms since epoch: it runs with the real one, and can be moved. */
export class FakeClock {
  #offsetMs = 0;
  #frozenAt: number | null = null;

  now(): number {
    return this.#frozenAt ?? Date.now() + this.#offsetMs;
  }

  /** Moves time forward, and whatever was due in between happens at the next look. */
  advance(ms: number): void {
    if (this.#frozenAt === null) this.#offsetMs += ms;
    else this.#frozenAt += ms;
  }

  /** From now on time stands still, but for {@link FakeClock.advance}. */
  freeze(): void {
    this.#frozenAt ??= this.now();
  }

  resume(): void {
    if (this.#frozenAt === null) return;
    this.#offsetMs = this.#frozenAt - Date.now();
    this.#frozenAt = null;
  }
}

/** As the API writes times: ISO 8601 without milliseconds. */
export function toTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, '+00:00');
}
