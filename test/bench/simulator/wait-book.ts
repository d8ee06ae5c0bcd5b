/** How long players waited. Bots take room, but their waiting time is counted separately. */
export interface Waits {
  /** Players who joined, including those who came back after their service was lost. */
  readonly joins: number;
  /** Players who found no room at first. */
  readonly count: number;
  /** `count` / `joins`. */
  readonly share: number;
  /** Mean waiting time of those who waited (s); 0 if none did. */
  readonly meanS: number;
  readonly p50S: number;
  readonly p95S: number;
  readonly p99S: number;
  readonly maxS: number;
  /** Total waiting time (minutes). */
  readonly playerMinutes: number;
  readonly gaveUp: number;
}

/** Records arrivals, waiting times and departures. */
export class WaitBook {
  readonly #waitsMs: number[] = [];
  #joins = 0;
  #gaveUp = 0;
  /** Includes bots, to check that no one is lost. */
  readonly #all = { came: 0, left: 0, gaveUp: 0 };

  /** Numbers of all people, including bots. */
  get all(): Readonly<{ came: number; left: number; gaveUp: number }> {
    return this.#all;
  }

  arrived(bot: boolean): void {
    this.#all.came += 1;
    if (!bot) this.#joins += 1;
  }

  rejoined(bot: boolean): void {
    if (!bot) this.#joins += 1;
  }

  left(): void {
    this.#all.left += 1;
  }

  /** Records the waiting time of a player who no longer waits, or at the end of the trace. */
  waited(ms: number, bot: boolean): void {
    if (!bot) this.#waitsMs.push(ms);
  }

  gaveUp(ms: number, bot: boolean): void {
    this.#all.gaveUp += 1;
    if (bot) return;
    this.#gaveUp += 1;
    this.#waitsMs.push(ms);
  }

  sum(): Waits {
    const sorted = Float64Array.from(this.#waitsMs).sort();
    const totalMs = sorted.reduce((sum, ms) => sum + ms, 0);
    const count = sorted.length;
    const at = (part: number): number => (sorted[Math.max(0, Math.ceil(part * count) - 1)] ?? 0) / 1000;
    return {
      joins: this.#joins,
      count,
      share: this.#joins === 0 ? 0 : count / this.#joins,
      meanS: count === 0 ? 0 : totalMs / count / 1000,
      p50S: at(0.5),
      p95S: at(0.95),
      p99S: at(0.99),
      maxS: at(1),
      playerMinutes: totalMs / 60_000,
      gaveUp: this.#gaveUp,
    };
  }
}
