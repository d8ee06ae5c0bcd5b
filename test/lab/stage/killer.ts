import type { MasterProcess } from '../../support/master/master-process.ts';
import { waitFor } from '../../support/wait-for.ts';

interface Pace {
  /** Shortest and longest life of a master, ms. */
  readonly leastMs: number;
  readonly mostMs: number;
  readonly random: (from: number, to: number) => number;
}

/** Kills a master again and again, and looks each time whether what it acknowledged is still so. */
export class Killer {
  /** Acknowledged changes that were gone after a kill, in words. */
  readonly lost: string[] = [];
  readonly #master: MasterProcess;
  readonly #read: () => Promise<unknown>;
  /** What the value may be: the last that was acknowledged, and one that is being asked for. */
  #allowed: unknown[] = [];
  #kills = 0;
  #stopped = false;

  /** @param read the value that {@link Killer.change} changes, as the master knows it */
  constructor(master: MasterProcess, read: () => Promise<unknown>) {
    this.#master = master;
    this.#read = read;
  }

  get kills(): number {
    return this.#kills;
  }

  /** Changes the value, again and again until that was acknowledged. */
  async change(value: unknown, ask: () => Promise<void>): Promise<void> {
    this.#allowed.push(value);
    await waitFor(async () => (await ask(), true), {
      timeoutMs: 60_000,
      what: `${String(value)} to be taken`,
    });
    this.#allowed = [value];
  }

  /** Until {@link Killer.stop}. */
  async killAtRandom({ leastMs, mostMs, random }: Pace): Promise<void> {
    while (!this.#stopped) {
      await new Promise((resolve) => setTimeout(resolve, random(leastMs, mostMs)));
      await this.#master.kill();
      this.#kills++;
      await this.#master.start();
      const found = await this.#read();
      if (this.#allowed.length > 0 && !this.#allowed.includes(found)) {
        this.lost.push(`kill ${this.#kills}: ${String(found)} instead of ${this.#allowed.join(' or ')}`);
      }
    }
  }

  stop(): void {
    this.#stopped = true;
  }
}
