import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plan } from '#master/core/plan.ts';
import type { Plan } from '#master/core/action.ts';
import type { Snapshot } from '#master/core/snapshot/snapshot.ts';
import { keep, WORLDS_TIMEOUT_MS } from '#test/support/worlds/check.ts';
import { lookAt } from '#test/support/worlds/look.ts';
import { fleetPromises } from '#test/support/worlds/invariants/fleet.ts';
import { placePromises } from '#test/support/worlds/invariants/placement.ts';
import { reasonPromises } from '#test/support/worlds/invariants/reasons.ts';
import { servicePromises } from '#test/support/worlds/invariants/services.ts';
import { shuffled, wildWorld } from '#test/support/worlds/wild.ts';
import { planInWords, worldInWords } from '#test/support/worlds/words.ts';
import { calmWorld, world, WORLDS } from '#test/support/worlds/world.ts';

/**
 * Checks the guarantees of docs/scaling.md for a single round, with random networks. `OVERWORLD_WORLDS` sets the
 * number of networks.
 */
describe('a plan', () => {
  keep([...servicePromises, ...placePromises, ...fleetPromises, ...reasonPromises], {
    of: world.map((snapshot) => lookAt(snapshot, plan(snapshot))),
    numRuns: WORLDS,
    inWords: ({ snapshot, planned }) => `${worldInWords(snapshot)}\n→\n${planInWords(planned)}`,
  });

  describe('while all nodes are unreachable for a short time,', () => {
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
    'does not depend on the order of services, nodes and templates in the snapshot',
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
    'does not change the snapshot',
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
    'has a limited number of actions, even for an impossible network',
    () => {
      fc.assert(
        fc.property(wildWorld, (snapshot) => {
          const { actions } = plan(snapshot);
          // The number of actions is limited, even for absurd player counts or settings.
          expect(actions.length).toBeLessThan(5_000);
        }),
        { numRuns: WORLDS },
      );
    },
    WORLDS_TIMEOUT_MS,
  );
});

/**
 * Makes all nodes silent. Keeps at most one service that waits for its start, because several such services may be
 * too many for one node.
 */
function amongSilentNodes(calm: Snapshot): Snapshot {
  const [waiting] = calm.services.filter(({ state }) => state === 'REQUESTED');
  return {
    ...calm,
    nodes: calm.nodes.map((node) => ({ ...node, silent: 'awaited' })),
    services: calm.services.filter((one) => one.state !== 'REQUESTED' || one === waiting),
  };
}

/**
 * Returns a plan as data that can be compared. The order of entries in maps does not matter, but the order of actions
 * does.
 */
function asData({ actions, waiting, unmet, noOrder, kept }: Plan): unknown {
  return { actions, waiting: new Map(waiting), unmet: new Map(unmet), noOrder, kept: new Map(kept) };
}
