import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apply } from '#master/core/snapshot/apply.ts';
import { plan } from '#master/core/plan.ts';
import type { NodeSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import { afterwards, type Fate } from '#test/support/worlds/afterwards.ts';
import { keep, WORLDS_TIMEOUT_MS, type Promised } from '#test/support/worlds/check.ts';
import { isCapped, isLeaving, lookAt } from '#test/support/worlds/look.ts';
import { allowedOffers, isUsable } from '#test/support/worlds/promises-fleet.ts';
import { settle, settlingInWords, type Settling } from '#test/support/worlds/settle.ts';
import { calmWorld, world, WORLDS } from '#test/support/worlds/world.ts';

const fate = fc.constantFrom<Fate>('gone', 'requested');

/** Worlds that are planned and carried out until nothing more is to do. */
function settled(worlds: fc.Arbitrary<Snapshot>) {
  return {
    of: fc.tuple(worlds, fate).map(([snapshot, of]) => settle(snapshot, of)),
    numRuns: WORLDS,
    inWords: settlingInWords,
  };
}

const onTheWay: readonly Promised<Settling>[] = [
  {
    says: 'come to rest: plan(apply(plan(s))) is empty after some rounds',
    breaches: ({ atRest, rounds }) => (atRest ? [] : [`${rounds.length} rounds and no end`]),
  },
  {
    says: 'order no node after they emptied or gave back another that they could have used',
    breaches: ({ rounds }) => {
      let given = false;
      return rounds.flatMap((round) => {
        const look = lookAt(round.snapshot, round.planned);
        const orders = given ? look.of('order').map(({ node }) => node) : [];
        const gone = [...look.of('drain'), ...look.of('release')];
        given ||= gone.some(({ node }) => isUsable(look.nodes.get(node)));
        return orders;
      });
    },
  },
  {
    says: 'resume no node that they drained on the way',
    breaches: ({ rounds }) => {
      const drained = new Set<string>();
      return rounds.flatMap(({ planned: { actions } }) => {
        for (const action of actions) if (action.kind === 'drain') drained.add(action.node);
        return actions.flatMap((one) => (one.kind === 'resume' && drained.has(one.node) ? [one.node] : []));
      });
    },
  },
  {
    says: 'request nothing of a template again whose services they found superfluous',
    breaches: ({ rounds }) => {
      const [superfluous, left] = [new Set<string>(), new Set<string>()];
      return rounds.flatMap(({ snapshot, planned }) => {
        const look = lookAt(snapshot, planned);
        // What leaves its node is replaced, whatever was superfluous before; and comes back if the node does.
        for (const one of snapshot.services) if (isLeaving(look, one)) left.add(one.template);
        const again = look
          .of('request')
          .filter(({ template }) => superfluous.has(template) && !left.has(template));
        for (const { service } of look.of('stop')) {
          const one = look.services.get(service);
          // Neither over the cap nor silent nor on a node that goes: only then does nobody replace it.
          if (
            one !== undefined &&
            !one.unresponsive &&
            !isLeaving(look, one) &&
            !isCapped(look, one.template)
          ) {
            superfluous.add(one.template);
          }
        }
        return again.map(({ service }) => service);
      });
    },
  },
  {
    says: 'leave nothing unschedulable, and no threshold reached, without saying why no node is ordered',
    breaches: ({ last: { snapshot, planned } }) => {
      if (snapshot.market === null || planned.noOrder !== null) return [];
      const unschedulable = [...planned.waiting.values()].filter(({ reason }) =>
        ['NO_NODE', 'RAM_FULL', 'CONFIGURE_MODE', 'NO_OFFER', 'ORDERING_PAUSED'].includes(reason),
      );
      return [
        ...unschedulable.map(({ message }) => message),
        ...(isFull(snapshot) ? ['the nodes are full'] : []),
      ];
    },
  },
];

const inCalm: readonly Promised<Settling>[] = [
  {
    says: 'have a node ordered for whatever fits on one that may be ordered',
    breaches: ({ last: { snapshot, planned } }) => {
      const largestMb = Math.max(0, ...allowedOffers(snapshot).map(({ ramMb }) => ramMb));
      const waiting = snapshot.services.filter(({ id }) => planned.waiting.has(id));
      return waiting.filter(({ ramMb }) => ramMb <= largestMb).map(({ id }) => id);
    },
  },
];

const roomyNode: NodeSnapshot = {
  id: 'roomy',
  state: 'READY',
  drainedByRules: false,
  held: false,
  locked: false,
  leaving: false,
  rental: null,
  ramMb: 1_000_000,
  startBudget: 1_000,
  silent: false,
  hasJava: true,
  startBackoffs: [],
};

const inPlenty: readonly Promised<Settling>[] = [
  {
    says: 'say nothing of orders',
    breaches: ({ last: { planned } }) => (planned.noOrder === null ? [] : [planned.noOrder.message]),
  },
  {
    says: 'let nothing wait and no minimum go unmet but for the cap',
    breaches: ({ last: { planned } }) => [
      ...planned.waiting.keys(),
      ...[...planned.unmet].filter(([, { wait }]) => wait.reason !== 'CAP_REACHED').map(([id]) => id),
    ],
  },
];

describe('for players who stay as they are, the rules', () => {
  describe('on the way to rest', () => keep(onTheWay, settled(world)));
  describe('where nothing is broken', () => keep(inCalm, settled(calmWorld)));
  describe('where every node has been silent for too long, or is silent and held', () => {
    const silenced = ({ nodes, ...calm }: Snapshot): Snapshot => ({
      ...calm,
      nodes: nodes.map((node, i) =>
        i % 2 === 0 ? { ...node, silent: 'overdue' } : { ...node, silent: 'awaited', held: true },
      ),
    });
    keep(inCalm, settled(calmWorld.map(silenced)));
  });
  describe('where there is room enough', () => {
    const plenty = { nodes: [roomyNode], services: [], upscalingAtPercent: 100 };
    keep(inPlenty, settled(calmWorld.map((calm) => ({ ...calm, ...plenty }))));
  });

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
