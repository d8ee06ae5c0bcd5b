import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plan } from '#master/core/plan.ts';
import type { Plan } from '#master/core/action.ts';
import type { Snapshot } from '#master/core/snapshot/snapshot.ts';
import { keep, WORLDS_TIMEOUT_MS } from '#test/support/worlds/check.ts';
import { lookAt } from '#test/support/worlds/look.ts';
import { fleetPromises } from '#test/support/worlds/promises-fleet.ts';
import { placePromises } from '#test/support/worlds/promises-places.ts';
import { reasonPromises } from '#test/support/worlds/promises-reasons.ts';
import { servicePromises } from '#test/support/worlds/promises-services.ts';
import { shuffled, wildWorld } from '#test/support/worlds/wild.ts';
import { planInWords, worldInWords } from '#test/support/worlds/words.ts';
import { calmWorld, world, WORLDS } from '#test/support/worlds/world.ts';

/** The promises of docs/scaling.md for one round, on any world. `OVERWORLD_WORLDS` raises the number for a nightly run. */
describe('a plan', () => {
  keep([...servicePromises, ...placePromises, ...fleetPromises, ...reasonPromises], {
    of: world.map((snapshot) => lookAt(snapshot, plan(snapshot))),
    numRuns: WORLDS,
    inWords: ({ snapshot, planned }) => `${worldInWords(snapshot)}\n→\n${planInWords(planned)}`,
  });

  describe('where a service finds all nodes silent for a moment', () => {
    keep([...placePromises, ...fleetPromises, ...reasonPromises], {
      of: calmWorld.map((calm) => {
        const snapshot = amongSilentNodes(calm);
        return lookAt(snapshot, plan(snapshot));
      }),
      numRuns: WORLDS,
      inWords: ({ snapshot, planned }) => `${worldInWords(snapshot)}\n→\n${planInWords(planned)}`,
    });
  });

  it(
    'is the same for the same world, however its lists are ordered',
    () => {
      fc.assert(
        fc.property(shuffled(world), ([snapshot, reordered]) => {
          expect(asData(plan(reordered))).toEqual(asData(plan(snapshot)));
        }),
        { numRuns: WORLDS },
      );
    },
    WORLDS_TIMEOUT_MS,
  );

  it(
    'changes nothing in the world it is made for',
    () => {
      fc.assert(
        fc.property(world, (snapshot) => {
          const before = structuredClone(snapshot);
          plan(snapshot);
          expect(snapshot).toEqual(before);
        }),
        { numRuns: WORLDS / 10 },
      );
    },
    WORLDS_TIMEOUT_MS,
  );

  it(
    'is made for every world, also for one that cannot be',
    () => {
      fc.assert(
        fc.property(wildWorld, (snapshot) => {
          const { actions } = plan(snapshot);
          // Bounded work, whatever a server claims of its players or a document asks for.
          expect(actions.length).toBeLessThan(5_000);
        }),
        { numRuns: WORLDS },
      );
    },
    WORLDS_TIMEOUT_MS,
  );
});

/** One service waits for its start at most: several may be too many for one node, and are not counted by hand. */
function amongSilentNodes(calm: Snapshot): Snapshot {
  const [waiting] = calm.services.filter(({ state }) => state === 'REQUESTED');
  return {
    ...calm,
    nodes: calm.nodes.map((node) => ({ ...node, silent: 'awaited' })),
    services: calm.services.filter((one) => one.state !== 'REQUESTED' || one === waiting),
  };
}

/** Maps compare by their entries in any order, actions in theirs. */
function asData({ actions, waiting, unmet, noOrder, kept }: Plan): unknown {
  return { actions, waiting: new Map(waiting), unmet: new Map(unmet), noOrder, kept: new Map(kept) };
}
