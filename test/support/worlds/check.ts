import fc from 'fast-check';
import { beforeAll, it } from 'vitest';

/**
 * A guarantee. `says` describes it, and becomes the title of its test. `breaches` returns a description of each
 * violation, or an empty list.
 */
export interface Promised<T> {
  readonly says: string;
  readonly breaches: (of: T) => readonly string[];
}

interface Sample<T> {
  readonly of: fc.Arbitrary<T>;
  readonly numRuns: number;
  /** Describes an input in the message of a failed test. */
  readonly inWords: (one: T) => string;
}

/** Maximum time of a group of tests (ms). The nightly run checks fifty times as many networks as a normal run. */
export const WORLDS_TIMEOUT_MS = 60 * 60_000;

/**
 * Defines one test per guarantee. All guarantees are first checked with the same inputs, because the generation of
 * inputs is slow. Then the test of a violated guarantee checks only this guarantee, so that its input shrinks to the
 * smallest failing input.
 */
export function keep<T>(promises: readonly Promised<T>[], { of, numRuns, inWords }: Sample<T>): void {
  const broken = new Set<Promised<T>>();
  let seed = 0;
  beforeAll(() => {
    const found = fc.check(
      fc.property(of, (one) => {
        for (const promised of promises) if (promised.breaches(one).length > 0) broken.add(promised);
      }),
      { numRuns },
    );
    ({ seed } = found);
    if (found.failed) throw new Error(fc.defaultReportMessage(found), { cause: found.errorInstance });
  }, WORLDS_TIMEOUT_MS);
  for (const promised of promises) {
    it(
      promised.says,
      () => {
        if (!broken.has(promised)) return;
        fc.assert(
          fc.property(of, (one) => {
            const breaches = promised.breaches(one);
            if (breaches.length > 0) throw new Error(`broken by: ${breaches.join('; ')}\n${inWords(one)}`);
          }),
          { numRuns, seed },
        );
      },
      WORLDS_TIMEOUT_MS,
    );
  }
}
