import fc from 'fast-check';
import { beforeAll, it } from 'vitest';

/** Something that always holds; `breaches` names what breaks it, and is empty when nothing does. */
export interface Promised<T> {
  readonly says: string;
  readonly breaches: (of: T) => readonly string[];
}

interface Sample<T> {
  readonly of: fc.Arbitrary<T>;
  readonly numRuns: number;
  /** For people who read a failed test. */
  readonly inWords: (one: T) => string;
}

/** Longest a group may take: a nightly run looks at fifty times as many worlds as a usual one. */
export const WORLDS_TIMEOUT_MS = 60 * 60_000;

/**
 * One test for each promise. What they are held against is made once for all of them, as that is what takes time; a
 * promise that is broken is then held against the same again alone, which shrinks to the smallest case that breaks it.
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
