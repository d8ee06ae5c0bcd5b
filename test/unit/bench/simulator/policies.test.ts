import { describe, expect, it } from 'vitest';
import type { NodeSnapshot, ServiceSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import { aNetworkModel, EIGHT_GB } from '#test/bench/simulator/network.ts';
import { bufferRules } from '#test/bench/simulator/policies/buffer.ts';
import {
  CLUSTER_AUTOSCALER_DEFAULTS,
  clusterAutoscalerRules,
} from '#test/bench/simulator/policies/cluster-autoscaler.ts';
import { PERCENT_DEFAULTS, percentRules } from '#test/bench/simulator/policies/percent.ts';
import { World } from '#test/bench/simulator/world.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

const network = aNetworkModel();
const empty = new World({
  network: { ...network, templates: network.templates.filter(({ id }) => id === 'bedwars') },
  seed: 1,
  start: NOW,
  upscalingAtPercent: 80,
  maxOnlinePlayers: 1000,
  stockOuts: [],
}).observe();

/** Returns services of a template. Each service has eight slots and the given number of players. */
function services(players: readonly number[], changes: Partial<ServiceSnapshot> = {}): ServiceSnapshot[] {
  return players.map((count, i) => ({
    id: `bedwars-${i + 1}`,
    template: 'bedwars',
    state: count > 0 ? 'IN_USE' : 'RUNNING',
    node: 'node-1',
    ramMb: 1399,
    requestedAt: NOW - MINUTE + i,
    unusedSince: count > 0 ? null : NOW - MINUTE,
    availableAt: NOW,
    unresponsive: false,
    stopping: false,
    players: count,
    maxPlayers: 8,
    manual: false,
    held: false,
    retiring: false,
    draining: false,
    restarting: false,
    ...changes,
  }));
}

function nodes(count: number): NodeSnapshot[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `node-${i + 1}`,
    state: 'READY',
    drainedByRules: false,
    held: false,
    locked: false,
    leaving: false,
    rental: { type: 'cpx32', since: NOW - 30 * MINUTE, hourlyPrice: 0.02 },
    ramMb: EIGHT_GB.ramMb,
    startBudget: 4,
    silent: false,
    hasJava: true,
    startBackoffs: [],
    unsaved: [],
  }));
}

function seen(changes: Partial<Snapshot>): Snapshot {
  return { ...empty, ...changes };
}

function kinds(actions: readonly { readonly kind: string }[]): string[] {
  return actions.map(({ kind }) => kind);
}

describe('the buffer policy in the simulator', () => {
  const inUse = (allocated: number, ready: number): number[] => [
    ...Array.from({ length: allocated }, () => 3),
    ...Array.from({ length: ready }, () => 0),
  ];
  const cases = [
    {
      what: 'a fixed number of spare services in addition to those in use',
      size: { count: 3 },
      players: inUse(5, 1),
      want: 2,
    },
    {
      what: '30 percent of all services, including the requested ones',
      size: { percent: 30 },
      players: inUse(8, 2),
      want: 2,
    },
    { what: 'at least the minimum', size: { percent: 30 }, players: inUse(0, 0), want: 1 },
    { what: 'none if there are enough spare services', size: { count: 2 }, players: inUse(4, 2), want: 0 },
  ];

  it.each(cases)('requests services for the buffer: $what', ({ size, players, want }) => {
    const actions = bufferRules({ size, syncMs: 30_000 })(seen({ services: services(players) }));
    expect(kinds(actions)).toEqual(Array.from({ length: want }, () => 'request'));
  });

  it('stops all superfluous services in one interval, first those that are not running yet', () => {
    const starting = services([0], { id: 'bedwars-9', state: 'STARTING', unusedSince: null });
    const all = [...services([2, 0, 0]), ...starting];
    const actions = bufferRules({ size: { count: 1 }, syncMs: 30_000 })(seen({ services: all }));
    expect(actions.map((action) => [action.kind, action.service])).toEqual([
      ['stop', 'bedwars-9'],
      ['stop', 'bedwars-3'],
    ]);
  });

  it('acts once per interval', () => {
    const rules = bufferRules({ size: { count: 1 }, syncMs: 30_000 });
    const short = services([3, 3]);
    expect(kinds(rules(seen({ services: short })))).toEqual(['request']);
    expect(rules(seen({ services: short, now: NOW + 29_000 }))).toEqual([]);
    expect(kinds(rules(seen({ services: short, now: NOW + 30_000 })))).toEqual(['request']);
  });
});

describe('the percent policy in the simulator', () => {
  const settings = { ...PERCENT_DEFAULTS, percentOfPlayersForANewServiceByInstance: 80 };

  it('requests one service at the threshold, and another one only after the configured delay', () => {
    const rules = percentRules(settings);
    const full = services([8, 8, 4]);
    expect(kinds(rules(seen({ services: full })))).toEqual(['request']);
    expect(rules(seen({ services: full, now: NOW + 299_000 }))).toEqual([]);
    expect(kinds(rules(seen({ services: full, now: NOW + 300_000 })))).toEqual(['request']);
  });

  it('counts players and slots only of running services', () => {
    expect(percentRules(settings)(seen({ services: services([8, 8, 3]) }))).toEqual([]);
    const starting = services([0], { id: 'bedwars-9', state: 'STARTING', unusedSince: null });
    const rules = percentRules(settings);
    expect(kinds(rules(seen({ services: [...services([8, 8]), ...starting] })))).toEqual(['request']);
  });

  it('stops unused services down to the minimum', () => {
    const unused = services([0, 0, 0], { unusedSince: NOW - 3 * MINUTE });
    expect(kinds(percentRules(settings)(seen({ services: unused })))).toEqual(['stop', 'stop']);
    const withOneInUse = [...services([1]), ...unused.slice(1)];
    expect(kinds(percentRules(settings)(seen({ services: withOneInUse })))).toEqual(['stop', 'stop']);
    expect(percentRules(settings)(seen({ services: services([0, 0]) }))).toEqual([]);
  });
});

describe('the cluster-autoscaler in the simulator', () => {
  const rules = () => clusterAutoscalerRules({ ...CLUSTER_AUTOSCALER_DEFAULTS, placing: 'packed' });
  const requested = (count: number): ServiceSnapshot[] =>
    services(
      Array.from({ length: count }, () => 0),
      { state: 'REQUESTED', node: null, unusedSince: null },
    );

  it('starts a service on the fullest node that has room and has not reached its limit of parallel starts', () => {
    const there = services([1], { id: 'bedwars-99', node: 'node-2' });
    const actions = rules()(seen({ nodes: nodes(2), services: [...there, ...requested(6)] }));
    const places = actions.flatMap((action) => (action.kind === 'start' ? [action.node] : []));
    expect(places).toEqual(['node-2', 'node-2', 'node-2', 'node-2', 'node-1', 'node-1']);
  });

  it('orders nodes for all services without a node, except those for which nodes are booting', () => {
    // Five services of 1,399 MB fit on a node.
    expect(kinds(rules()(seen({ services: requested(6) })))).toEqual(['order', 'order']);
    const coming = nodes(1).map((node) => ({ ...node, state: 'BOOTING' as const }));
    expect(kinds(rules()(seen({ nodes: coming, services: requested(6) })))).toEqual(['order']);
    expect(rules()(seen({ nodes: coming, services: requested(5) }))).toEqual([]);
  });

  it('deletes a node after ten minutes without players', () => {
    const look = rules();
    const snapshot = { nodes: nodes(2), services: services([1, 1, 1]) };
    expect(look(seen(snapshot))).toEqual([]);
    expect(look(seen({ ...snapshot, now: NOW + 9 * MINUTE }))).toEqual([]);
    expect(look(seen({ ...snapshot, now: NOW + 10 * MINUTE }))).toMatchObject([
      { kind: 'release', node: 'node-2' },
    ]);
  });

  it('drains a node that is less than half full if its unused services fit on other nodes', () => {
    const look = rules();
    const snapshot = {
      nodes: nodes(2),
      services: [...services([1, 1, 1]), ...services([0], { id: 'bedwars-9', node: 'node-2' })],
    };
    expect(look(seen(snapshot))).toEqual([]);
    expect(look(seen({ ...snapshot, now: NOW + 10 * MINUTE }))).toMatchObject([
      { kind: 'drain', node: 'node-2' },
      { kind: 'stop', service: 'bedwars-9' },
    ]);
  });

  it('releases no node for ten minutes after each order', () => {
    const look = rules();
    expect(
      kinds(look(seen({ nodes: nodes(1), services: [...services([1, 1, 1, 1, 1]), ...requested(0)] }))),
    ).toEqual([]);
    const unschedulable = [
      ...services([1, 1, 1, 1, 1]),
      ...services([0], { id: 'bedwars-9', state: 'REQUESTED', node: null }),
    ];
    expect(kinds(look(seen({ nodes: nodes(1), services: unschedulable, now: NOW + MINUTE })))).toEqual([
      'order',
    ]);
    const relaxed = { nodes: nodes(2), services: services([1, 1]) };
    expect(look(seen({ ...relaxed, now: NOW + 2 * MINUTE }))).toEqual([]);
    expect(look(seen({ ...relaxed, now: NOW + 10 * MINUTE }))).toEqual([]);
    expect(kinds(look(seen({ ...relaxed, now: NOW + 12 * MINUTE })))).toEqual(['release']);
  });
});
