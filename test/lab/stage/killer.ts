import type { MasterProcess } from '../../support/master/master-process.ts';
import { waitFor } from '../../support/wait-for.ts';

interface Pace {
  /**
   * Minimum lifetime of a master on a fast machine (ms). `mostMs` is the maximum. On slower machines, both are
   * longer.
   */
  readonly leastMs: number;
  readonly mostMs: number;
  readonly random: (from: number, to: number) => number;
}

/** Time that a master takes to start on a fast machine (ms). */
const QUICK_START_MS = 1_000;

/** Kills a master repeatedly, and checks after each kill that acknowledged changes still exist. */
export class Killer {
  /** Acknowledged changes that were lost after a kill, in words. */
  readonly lost: string[] = [];
  readonly #master: MasterProcess;
  readonly #read: () => Promise<unknown>;
  /** Values that the master may have stored: the last acknowledged value, and a value that is being set. */
  #allowed: unknown[] = [];
  #kills = 0;
  #stopped = false;

  /** @param read returns the value that {@link Killer.change} sets, as the master currently reports it */
  constructor(master: MasterProcess, read: () => Promise<unknown>) {
    this.#master = master;
    this.#read = read;
  }

  get kills(): number {
    return this.#kills;
  }

  /** Changes the value. Repeats the request until the master acknowledges it. */
  async change(value: unknown, ask: () => Promise<void>): Promise<void> {
    this.#allowed.push(value);
    await waitFor(async () => (await ask(), true), {
      timeoutMs: 60_000,
      what: `${String(value)} to be taken`,
    });
    this.#allowed = [value];
  }

  /**
   * Kills the master at random intervals until {@link Killer.stop}. If the master's last start was n times slower
   * than on a fast machine, the next interval is n times longer. Otherwise, a master on a busy machine would not live
   * long enough to do anything.
   */
  async killAtRandom({ leastMs, mostMs, random }: Pace): Promise<void> {
    let slowness = 1;
    while (!this.#stopped) {
      await new Promise((resolve) => setTimeout(resolve, random(leastMs, mostMs) * slowness));
      await this.#master.kill();
      this.#kills++;
      const began = performance.now();
      await this.#master.start();
      slowness = Math.max(1, (performance.now() - began) / QUICK_START_MS);
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
