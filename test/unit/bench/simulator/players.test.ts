import { describe, expect, it } from 'vitest';
import { aNetworkModel, template, type NetworkModel } from '#test/bench/simulator/network.ts';
import { World } from '#test/bench/simulator/world.ts';

const START = 1_800_000_000_000;
const MINUTE = 60_000;

const lobby = template('lobby', {
  share: 1,
  maxPlayers: 2,
  ram: 1024,
  spare: 0,
  stay: [1, 2],
  boot: [10, 10],
});

/** Creates two nodes with the given lobbies. Each lobby takes two players. */
function aWorld(onNodes: readonly string[], changes: Partial<NetworkModel> = {}): World {
  const network = aNetworkModel({
    prepareMs: { from: 2_000, to: 2_000 },
    templates: [lobby],
    serviceLifeMs: null,
    nodeLifeMs: null,
    ...changes,
  });
  const world = new World({
    network,
    seed: 1,
    start: START,
    upscalingAtPercent: 80,
    maxOnlinePlayers: 9,
    stockOuts: [],
  });
  world.nodes.order({ node: 'node-1', type: 'cpx32' });
  world.nodes.order({ node: 'node-2', type: 'cpx32' });
  pass(world, 2);
  onNodes.forEach((node, i) => {
    world.services.request(`lobby-${i + 1}`, 'lobby');
    world.services.start(`lobby-${i + 1}`, world.nodes.existing(node));
  });
  pass(world, 1);
  return world;
}

function pass(world: World, minutes: number): void {
  world.agenda.runUntil(world.agenda.now + minutes * MINUTE);
}

function come(world: World, minutes: readonly number[]): void {
  for (const stay of minutes) world.players.arrive({ at: 0, template: 0, stayMs: stay * MINUTE, bot: false });
}

/** Returns the number of players on each service. */
function seats(world: World): Record<string, number> {
  return Object.fromEntries(world.observe().services.map(({ id, players }) => [id, players]));
}

describe('players in the simulator', () => {
  it('join the fullest service with room, and stay on it', () => {
    const world = aWorld(['node-1', 'node-2']);
    come(world, [60, 60, 60]);
    expect(seats(world)).toEqual({ 'lobby-1': 2, 'lobby-2': 1 });
    pass(world, 59);
    expect(seats(world)).toEqual({ 'lobby-1': 2, 'lobby-2': 1 });
    pass(world, 1);
    expect(seats(world)).toEqual({ 'lobby-1': 0, 'lobby-2': 0 });
  });

  it('join the emptiest service if the network distributes its players evenly', () => {
    const world = aWorld(['node-1', 'node-2'], { joining: 'emptiest' });
    come(world, [60, 60]);
    expect(seats(world)).toEqual({ 'lobby-1': 1, 'lobby-2': 1 });
  });

  it('join a service on a draining node only if no other service has room', () => {
    const world = aWorld(['node-1', 'node-2']);
    come(world, [60]);
    world.nodes.drain('node-1');
    come(world, [60, 60, 60]);
    expect(seats(world)).toEqual({ 'lobby-1': 2, 'lobby-2': 2 });
    const other = aWorld(['node-1', 'node-2']);
    come(other, [60]);
    other.nodes.drain('node-1');
    come(other, [60, 60]);
    expect(seats(other)).toEqual({ 'lobby-1': 1, 'lobby-2': 2 });
  });

  it('wait in the order of their arrival while all services are full', () => {
    const world = aWorld(['node-1']);
    come(world, [5, 60, 30, 30]);
    expect(world.players).toMatchObject({ online: 2, waiting: 2 });
    pass(world, 5);
    expect(world.players).toMatchObject({ online: 2, waiting: 1 });
    expect(world.waits.sum()).toMatchObject({ joins: 4, count: 1, meanS: 300, maxS: 300, playerMinutes: 5 });
    world.services.request('lobby-2', 'lobby');
    world.services.start('lobby-2', world.nodes.existing('node-2'));
    pass(world, 1);
    expect(world.players).toMatchObject({ online: 3, waiting: 0 });
  });

  it('move to another service if their service stops', () => {
    const world = aWorld(['node-1', 'node-2']);
    come(world, [10, 10]);
    pass(world, 4);
    world.services.stop('lobby-1');
    expect(world.services.counts).toMatchObject({ stoppedInUse: 1, thrownOut: 2 });
    expect(seats(world)).toMatchObject({ 'lobby-2': 2 });
    pass(world, 5.9);
    expect(world.players.online).toBe(2);
    pass(world, 0.1);
    expect(world.players.online).toBe(0);
  });
});

describe('the simulator', () => {
  it('rejects actions that are impossible in a real network', () => {
    const world = aWorld(['node-1', 'node-1', 'node-1', 'node-1']);
    world.services.request('lobby-5', 'lobby');
    world.services.start('lobby-5', world.nodes.existing('node-1'));
    world.services.request('lobby-6', 'lobby');
    expect(() => world.services.start('lobby-6', world.nodes.existing('node-1'))).toThrow(/6995 of 7168 MB/);
    expect(() => world.nodes.release('node-1')).toThrow('with services');
    expect(() => world.services.request('lobby-6', 'lobby')).toThrow('request lobby-6');
    world.nodes.drain('node-2');
    expect(() => world.services.start('lobby-6', world.nodes.existing('node-2'))).toThrow('DRAINING');
  });
});
