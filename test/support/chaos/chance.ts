import { Random } from '#test/bench/simulator/random.ts';

/** Seed of all random decisions of this run. `OVERWORLD_CHAOS_SEED` repeats an earlier run. */
export const SEED = Number(process.env['OVERWORLD_CHAOS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/**
 * Random decisions of one fault. The same seed and name always result in the same decisions, but not at the same
 * times.
 */
export class Chance {
  readonly #random: Random;

  constructor(name: string) {
    this.#random = new Random(SEED, name);
  }

  /** Returns an integer in [from, to]. */
  integer(from: number, to: number): number {
    return Math.floor(this.#random.uniform(from, to + 1));
  }

  pick<T>(options: readonly T[]): T {
    const picked = options[this.integer(0, options.length - 1)];
    if (picked === undefined) throw new Error('there is nothing to pick from');
    return picked;
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.integer(0, 255)));
  }
}
