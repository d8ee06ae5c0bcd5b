import fc from 'fast-check';
import type { NodeSnapshot, ServiceSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import { NOW } from '../master/snapshots.ts';
import { world } from './world.ts';

/** Generates a network, and a copy of the network with its lists in another order. */
export function shuffled(worlds: fc.Arbitrary<Snapshot>): fc.Arbitrary<readonly [Snapshot, Snapshot]> {
  return worlds.chain((snapshot) =>
    fc
      .record({
        templates: reordered(snapshot.templates),
        services: reordered(snapshot.services),
        nodes: reordered(snapshot.nodes),
        offers: reordered(snapshot.market?.offers ?? []),
      })
      .map(({ offers, ...lists }) => {
        const market = snapshot.market === null ? null : { ...snapshot.market, offers };
        return [snapshot, { ...snapshot, ...lists, market }];
      }),
  );
}

function reordered<T>(all: readonly T[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray([...all], { minLength: all.length });
}

const serviceStates: readonly ServiceSnapshot['state'][] = [
  'REQUESTED',
  'PREPARING',
  'STARTING',
  'RUNNING',
  'IN_USE',
];
const nodeStates: readonly NodeSnapshot['state'][] = ['READY', 'ORDERED', 'DRAINING', 'LOST', 'DELETING'];

/** Contradictions that only a bug or a manual change on disk could cause. The planner must still return a plan. */
const damage = fc.record({
  service: fc.record({
    state: fc.constantFrom(...serviceStates),
    node: fc.constantFrom(null, 'nowhere', 'own0', 'node-1'),
    players: fc.constantFrom(0, -1, 1_000_000),
    maxPlayers: fc.constantFrom(0, 1),
    ramMb: fc.constantFrom(0, 1_000_000, -1),
    unusedSince: fc.constantFrom(null, NOW + 60_000, 0),
    template: fc.constantFrom('t0', 'gone', ''),
  }),
  node: fc.record({
    state: fc.constantFrom(...nodeStates),
    ramMb: fc.constantFrom(0, -1),
    startBudget: fc.constantFrom(0, -1),
    drainedByRules: fc.boolean(),
    rental: fc.constantFrom(null, { type: '', since: NOW + 3_600_000, hourlyPrice: 0 }),
  }),
  offer: fc.record({ ramMb: fc.constantFrom(0, -1), hourlyPrice: fc.constantFrom(0, -1) }),
  maxOnlinePlayers: fc.constantFrom(0, -1, 1_000_000),
  playersOnProxies: fc.constantFrom(null, 0, -1, 1_000_000),
  upscalingAtPercent: fc.constantFrom(0, 1, 100, 101),
  where: fc.nat({ max: 5 }),
});

/** Generates networks with contradictions in some of their parts. */
export const wildWorld: fc.Arbitrary<Snapshot> = fc.tuple(world, damage).map(([snapshot, harm]) => {
  const { services, nodes, market } = snapshot;
  const harmAt = <T>(all: readonly T[], with_: Partial<T>): T[] =>
    all.map((one, i) => (i === harm.where % Math.max(1, all.length) ? { ...one, ...with_ } : one));
  return {
    ...snapshot,
    services: harmAt(services, harm.service),
    nodes: harmAt(nodes, harm.node),
    market: market === null ? null : { ...market, offers: harmAt(market.offers, harm.offer) },
    maxOnlinePlayers: harm.maxOnlinePlayers,
    playersOnProxies: harm.playersOnProxies,
    upscalingAtPercent: harm.upscalingAtPercent,
  };
});
