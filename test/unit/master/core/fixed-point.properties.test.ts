import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apply } from '#master/core/apply.ts';
import { plan } from '#master/core/plan.ts';
import type { NodeSnapshot, ServiceSnapshot, Snapshot } from '#master/core/snapshot.ts';
import { afterwards, type Fate } from '#test/support/worlds/afterwards.ts';
import { WORLDS_TIMEOUT_MS } from '#test/support/worlds/check.ts';
import { isLeaving, lookAt } from '#test/support/worlds/look.ts';
import { allowedOffers } from '#test/support/worlds/promises-fleet.ts';
import { refuseSettling, settle, type Settling } from '#test/support/worlds/settle.ts';
import { calmWorld, world, WORLDS } from '#test/support/worlds/world.ts';

const fate = fc.constantFrom<Fate>('gone', 'requested');

/** Settles worlds and holds what happened on the way against a promise. */
function always(
  says: string,
  worlds: fc.Arbitrary<Snapshot>,
  breaches: (settling: Settling) => readonly string[],
): void {
  const property = fc.property(worlds, fate, (snapshot, of) => {
    const settling = settle(snapshot, of);
    refuseSettling(breaches(settling), settling);
  });
  it(says, () => fc.assert(property, { numRuns: WORLDS }), WORLDS_TIMEOUT_MS);
}

describe('for players who stay as they are, the rules', () => {
  always('come to rest: plan(apply(plan(s))) is empty after some rounds', world, ({ atRest, rounds }) =>
    atRest ? [] : [`${rounds.length} rounds and no end`],
  );

  always('order no node after they drained or gave back another that was alive', world, ({ rounds }) => {
    let given = false;
    return rounds.flatMap((round) => {
      const look = lookAt(round.snapshot, round.planned);
      const orders = given ? look.of('order').map(({ node }) => node) : [];
      const gone = [...look.of('drain'), ...look.of('release')];
      given ||= gone.some(({ node }) => look.nodes.get(node)?.state !== 'LOST');
      return orders;
    });
  });

  always('resume no node that they drained on the way', world, ({ rounds }) => {
    const drained = new Set<string>();
    return rounds.flatMap(({ planned: { actions } }) => {
      for (const action of actions) if (action.kind === 'drain') drained.add(action.node);
      return actions.flatMap((one) => (one.kind === 'resume' && drained.has(one.node) ? [one.node] : []));
    });
  });

  always('request nothing of a template again whose services they found superfluous', world, ({ rounds }) => {
    const superfluous = new Set<string>();
    return rounds.flatMap(({ snapshot, planned }) => {
      const look = lookAt(snapshot, planned);
      const requests = look.of('request').filter(({ template }) => superfluous.has(template));
      for (const { service } of look.of('stop')) {
        const one = look.services.get(service);
        // Neither over the cap nor silent nor on a node that goes: only then does nobody replace it.
        if (one !== undefined && !one.unresponsive && !isLeaving(look, one) && !isCapped(look, one)) {
          superfluous.add(one.template);
        }
      }
      return requests.map(({ service }) => service);
    });
  });

  always(
    'leave nothing homeless, and no threshold reached, without saying why no node is ordered',
    world.filter(({ market }) => market !== null),
    ({ last: { snapshot, planned } }) => {
      const homeless = [...planned.waiting.values()].filter(({ reason }) =>
        ['NO_NODE', 'RAM_FULL', 'CONFIGURE_MODE', 'NO_OFFER', 'ORDERING_PAUSED'].includes(reason),
      );
      if (planned.noOrder !== null) return [];
      return [...homeless.map(({ message }) => message), ...(isFull(snapshot) ? ['the nodes are full'] : [])];
    },
  );

  always(
    'say nothing of orders where there is room enough',
    calmWorld.map((calm) => ({ ...calm, nodes: [roomyNode], services: [], upscalingAtPercent: 100 })),
    ({ last }) => (last.planned.noOrder === null ? [] : [last.planned.noOrder.message]),
  );

  always(
    'have a node ordered for whatever fits on one that may be ordered',
    calmWorld,
    ({ last: { snapshot, planned } }) => {
      const largestMb = Math.max(0, ...allowedOffers(snapshot).map(({ ramMb }) => ramMb));
      const waiting = snapshot.services.filter(({ id }) => planned.waiting.has(id));
      return waiting.filter(({ ramMb }) => ramMb <= largestMb).map(({ id }) => id);
    },
  );

  it(
    'are followed alike by the model in core and the one written from the specification',
    () => {
      fc.assert(
        fc.property(world, (snapshot) => {
          const planned = plan(snapshot);
          expect(comparable(apply(snapshot, planned))).toEqual(comparable(afterwards(snapshot, planned)));
        }),
        { numRuns: WORLDS },
      );
    },
    WORLDS_TIMEOUT_MS,
  );
});

const roomyNode: NodeSnapshot = {
  id: 'roomy',
  state: 'READY',
  drainedByRules: false,
  held: false,
  locked: false,
  rental: null,
  ramMb: 1_000_000,
  startBudget: 1_000,
  hasJava: true,
};

function isCapped(
  { snapshot, templates }: ReturnType<typeof lookAt>,
  { template }: ServiceSnapshot,
): boolean {
  const cap = templates.get(template)?.config.maximumOnlineServers ?? -1;
  return cap !== -1 && snapshot.services.filter((one) => one.template === template).length >= cap;
}

/** Counted as the specification says it, where nothing is being emptied, lost or closed. */
function isFull({ nodes, services, upscalingAtPercent }: Snapshot): boolean {
  if (nodes.some(({ state, held }) => state !== 'READY' || held)) return false;
  const totalMb = nodes.reduce((sum, { ramMb }) => sum + ramMb, 0);
  const takenMb = services.reduce((sum, { node, ramMb }) => sum + (node === null ? 0 : ramMb), 0);
  return totalMb > 0 && takenMb > 0 && takenMb * 100 >= totalMb * upscalingAtPercent;
}

/** What both models must agree on: how much a new node starts at once is not part of a plan. */
function comparable({ services, nodes, templates, market }: Snapshot): unknown {
  return {
    services: sorted(services),
    nodes: sorted(nodes.map((node) => ({ ...node, startBudget: 0 }))),
    templates: sorted(templates),
    market,
  };
}

function sorted<T extends { readonly id: string }>(all: readonly T[]): T[] {
  return [...all].sort((a, b) => (a.id < b.id ? -1 : 1));
}
