import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apply } from '#master/core/snapshot/apply.ts';
import { plan } from '#master/core/plan.ts';
import type { NodeSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import { afterwards, type Fate } from '#test/support/worlds/afterwards.ts';
import { keep, WORLDS_TIMEOUT_MS, type Promised } from '#test/support/worlds/check.ts';
import { isCapped, isLeaving, lookAt } from '#test/support/worlds/look.ts';
import { allowedOffers, isUsable } from '#test/support/worlds/invariants/fleet.ts';
import { settle, settlingInWords, type Settling } from '#test/support/worlds/settle.ts';
import { calmWorld, world, WORLDS } from '#test/support/worlds/world.ts';

const fate = fc.constantFrom<Fate>('gone', 'requested');

/** Returns the options of a test with networks to which plans are applied until a plan has no actions. */
function settled(worlds: fc.Arbitrary<Snapshot>) {
  return {
    of: fc.tuple(worlds, fate).map(([snapshot, of]) => settle(snapshot, of)),
    numRuns: WORLDS,
    inWords: settlingInWords,
  };
}

const onTheWay: readonly Promised<Settling>[] = [
  {
    says: 'reach an empty plan after some rounds',
    breaches: ({ atRest, rounds }) => (atRest ? [] : [`${rounds.length} rounds and no end`]),
  },
  {
    says: 'order no node after draining or releasing a usable node',
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
    says: 'resume no node that they have drained',
    breaches: ({ rounds }) => {
      const drained = new Set<string>();
      return rounds.flatMap(({ planned: { actions } }) => {
        for (const action of actions) if (action.kind === 'drain') drained.add(action.node);
        return actions.flatMap((one) => (one.kind === 'resume' && drained.has(one.node) ? [one.node] : []));
      });
    },
  },
  {
    says: 'request no service for a template after stopping superfluous services of this template',
    breaches: ({ rounds }) => {
      const [superfluous, left] = [new Set<string>(), new Set<string>()];
      return rounds.flatMap(({ snapshot, planned }) => {
        const look = lookAt(snapshot, planned);
        // A service that leaves its node is replaced, even if its template had superfluous services. The service
        // counts again if the node returns.
        for (const one of snapshot.services) if (isLeaving(look, one)) left.add(one.template);
        const again = look
          .of('request')
          .filter(({ template }) => superfluous.has(template) && !left.has(template));
        for (const { service } of look.of('stop')) {
          const one = look.services.get(service);
          // A stopped service is superfluous only if it answered, its node stays, and its template is not at the
          // cap.
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
    says: 'give a reason if a node is needed for RAM or for a service, but is not ordered',
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
    says: 'order a node for every service that fits on an available type',
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
  unsaved: [],
};

const inPlenty: readonly Promised<Settling>[] = [
  {
    says: 'give no reason why no node is ordered',
    breaches: ({ last: { planned } }) => (planned.noOrder === null ? [] : [planned.noOrder.message]),
  },
  {
    says: 'let no service wait, and reach each minimum that is below the maximum',
    breaches: ({ last: { planned } }) => [
      ...planned.waiting.keys(),
      ...[...planned.unmet].filter(([, { wait }]) => wait.reason !== 'CAP_REACHED').map(([id]) => id),
    ],
  },
];

describe('the scaling rules, while no players join or leave,', () => {
  describe('in each round until a plan contains no more actions', () => keep(onTheWay, settled(world)));
  describe('with intact nodes', () => keep(inCalm, settled(calmWorld)));
  describe('with nodes that are paused or have been unreachable for a long time', () => {
    const silenced = ({ nodes, ...calm }: Snapshot): Snapshot => ({
      ...calm,
      nodes: nodes.map((node, i) =>
        i % 2 === 0 ? { ...node, silent: 'overdue' } : { ...node, silent: 'awaited', held: true },
      ),
    });
    keep(inCalm, settled(calmWorld.map(silenced)));
  });
  describe('with enough room for all services', () => {
    const plenty = { nodes: [roomyNode], services: [], upscalingAtPercent: 100 };
    keep(inPlenty, settled(calmWorld.map((calm) => ({ ...calm, ...plenty }))));
  });

  it(
    'change the network as the specification requires',
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

/**
 * Reports whether the nodes have reached the threshold of the specification. The threshold applies only to networks
 * in which no node is draining, lost or closed.
 */
function isFull({ nodes, services, upscalingAtPercent }: Snapshot): boolean {
  if (nodes.some(({ state, held }) => state !== 'READY' || held)) return false;
  const totalMb = nodes.reduce((sum, { ramMb }) => sum + ramMb, 0);
  const takenMb = services.reduce((sum, { node, ramMb }) => sum + (node === null ? 0 : ramMb), 0);
  return totalMb > 0 && takenMb > 0 && takenMb * 100 >= totalMb * upscalingAtPercent;
}

/** Returns the data that must be equal in both models. The start budget of a new node is not part of a plan. */
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
