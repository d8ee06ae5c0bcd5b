import fc from 'fast-check';
import { beforeAll, it } from 'vitest';
import { plan } from '#master/core/plan.ts';
import type { Snapshot } from '#master/core/snapshot.ts';
import { lookAt, type Promised } from './look.ts';
import type { Round } from './settle.ts';
import { planInWords, worldInWords } from './words.ts';

interface Sample {
  readonly worlds: fc.Arbitrary<Snapshot>;
  readonly numRuns: number;
}

const MINUTE_MS = 60_000;

/** Longest a property may take: a nightly run looks at fifty times as many worlds as a usual one. */
export const WORLDS_TIMEOUT_MS = 30 * MINUTE_MS;

/**
 * One test for each promise. Worlds and plans are made once for all of them, as that is what takes time; a promise
 * that some world breaks is then held against the same worlds again alone, which shrinks to the smallest such world.
 */
export function promise(promises: readonly Promised[], { worlds, numRuns }: Sample): void {
  const broken = new Set<Promised>();
  let seed = 0;
  beforeAll(() => {
    const found = fc.check(
      fc.property(worlds, (snapshot) => {
        const look = lookAt(snapshot, plan(snapshot));
        for (const promised of promises) if (promised.breaches(look).length > 0) broken.add(promised);
      }),
      { numRuns },
    );
    ({ seed } = found);
    if (found.failed) throw new Error(fc.defaultReportMessage(found), { cause: found.errorInstance });
  }, WORLDS_TIMEOUT_MS);
  for (const promised of promises) {
    it(promised.says, () => {
      if (!broken.has(promised)) return;
      fc.assert(
        fc.property(worlds, (snapshot) => {
          const planned = plan(snapshot);
          refuse(promised.breaches(lookAt(snapshot, planned)), { snapshot, planned });
        }),
        { numRuns, seed },
      );
    });
  }
}

/** Fails with what was broken, the world in a few lines, and the plan that did it. */
export function refuse(breaches: readonly string[], { snapshot, planned }: Round): void {
  if (breaches.length === 0) return;
  throw new Error(
    [`broken by: ${breaches.join('; ')}`, worldInWords(snapshot), '→', planInWords(planned)].join('\n'),
  );
}
