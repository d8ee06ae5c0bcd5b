/** Waiting times of players. They do not include bots, although bots take room. */
export interface Waits {
  /** Number of joins, including joins of players who came back after their service was lost. */
  readonly joins: number;
  /** Number of players for whom there was no room at first. */
  readonly count: number;
  /** The ratio `count` / `joins`. */
  readonly share: number;
  /** Mean waiting time of the players who waited (s). 0 if no player waited. */
  readonly meanS: number;
  readonly p50S: number;
  readonly p95S: number;
  readonly p99S: number;
  readonly maxS: number;
  /** Total waiting time of all players (minutes). */
  readonly playerMinutes: number;
  readonly gaveUp: number;
}

/** Counts arrivals and departures, and collects waiting times. */
export class WaitBook {
  readonly #waitsMs: number[] = [];
  #joins = 0;
  #gaveUp = 0;
  /** Numbers of people, including bots. A test checks with these numbers that the simulation loses no player. */
  readonly #all = { came: 0, left: 0, gaveUp: 0 };

  /** Returns the numbers of all people, including bots. */
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

  /** Records the waiting time of a player. Called when the player stops waiting, or at the end of the trace. */
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
