import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Stream of random numbers. The same seed and name always result in the same stream. */
export class Random {
  readonly #generator: ReturnType<typeof xoroshiro128plus>;

  /**
   * Creates the stream.
   *
   * @param name name of the stream; each part of the simulation has its own stream, so that it never affects another
   *   part
   */
  constructor(seed: number, name: string) {
    this.#generator = xoroshiro128plus(hash(`${seed}/${name}`));
  }

  /** Returns a uniformly distributed number in [from, to). */
  uniform(from: number, to: number): number {
    return from + (to - from) * uniformFloat64(this.#generator);
  }

  /** Returns the time until the next event of a Poisson process. `mean` is the mean time between two events. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - uniformFloat64(this.#generator));
  }

  /**
   * Returns a log-normally distributed number with this median and mean, where mean = median · exp(σ² / 2).
   *
   * @param mean must be above the median
   */
  logNormal({ median, mean }: { readonly median: number; readonly mean: number }): number {
    const sigma = Math.sqrt(2 * Math.log(mean / median));
    return median * Math.exp(sigma * this.#normal());
  }

  /**
   * Returns a normally distributed number (Box–Muller method). Discards one number of the pair, so that the stream
   * has no hidden state.
   */
  #normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - uniformFloat64(this.#generator)));
    return radius * Math.cos(2 * Math.PI * uniformFloat64(this.#generator));
  }
}

/** Returns the 32-bit FNV-1a hash of a text. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return value | 0;
}
