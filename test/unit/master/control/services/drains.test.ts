import { describe, expect, it } from 'vitest';
import { Drains } from '#master/control/services/drains.ts';
import type { Player } from '#shared/model/player.ts';
import { newRecord, type ServiceRecord } from '#master/state/services/records.ts';
import { startedFrom } from '#master/state/services/started-from.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { noLink, noProxies } from '#test/support/link/no-ingress.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';

/** Returns a lobby that is up. */
function aLobby(
  id: string,
  [online, max]: readonly [number, number],
  change: Partial<ServiceRecord> = {},
): ServiceRecord {
  const record = newRecord({ id, template: 'lobby', requestedAt: 1, cause: 'test', manual: false });
  const placed = startedFrom(serviceSpec({ id, maxPlayers: max }));
  const state = online === 0 ? 'RUNNING' : 'IN_USE';
  const fields = { placed, state, node: 'local', startedAt: 5, upAt: 6, players: { online, max } };
  return Object.assign(record, fields, change);
}

/** Creates the part of a master under test: lobby-1 with 200 players drains, lobby-2 has 60 slots, lobby-3 has 200. */
function aDrain() {
  const players: Player[] = Array.from({ length: 200 }, (_, n) => ({
    ...{ uuid: `uuid-${n}`, name: `player-${n}`, proxy: 'gate-1', server: 'lobby-1', since: 0 },
  }));
  const draining = { since: 0, cause: 'test', until: null };
  const world = {
    clock: 5_000,
    players,
    sent: [] as { readonly uuid: string; readonly to: string }[],
    /** Players who have been sent to a server so far, in order. */
    told: [] as string[],
    unreachable: new Set<string>(),
    /** Services that accept no new players. */
    closed: new Set<string>(),
    all: [
      aLobby('lobby-1', [200, 200], { draining }),
      aLobby('lobby-2', [0, 60]),
      aLobby('lobby-3', [0, 200]),
    ],
  };
  const parts = {
    now: () => 1_000_000,
    events: { add: () => undefined },
    records: { all: world.all },
    proxies: noProxies(),
    config: {
      templates: new Map([['lobby', { state: { config: { isFallback: true, joinPermission: '' } } }]]),
    },
    link: {
      ...noLink(),
      players,
      accepts: (service: string) => !world.closed.has(service),
      playersOn: (service: string) => players.filter(({ server }) => server === service).length,
      send: (uuid: string, to: string) => {
        const [player, proxy] = [uuid, 'gate-1'];
        if (world.unreachable.has(uuid)) throw new OverworldError('PLAYER_UNREACHABLE', { player, proxy });
        world.sent.push({ uuid, to });
        world.told.push(uuid);
      },
    },
  };
  const drains = new Drains(
    parts as never,
    () => undefined,
    () => world.clock,
  );
  /** Runs a round after a time (ms). Returns how many players it sends to each server. */
  const round = (afterMs: number): Record<string, number> => {
    world.clock += afterMs;
    drains.carryOn();
    const counts: Record<string, number> = {};
    for (const { to } of world.sent.splice(0)) counts[to] = (counts[to] ?? 0) + 1;
    return counts;
  };
  /** Lets players arrive on a server. The record of the server is not updated. */
  const arrive = (count: number, server: string): void => {
    const arrived = players.slice(0, count).map((player) => ({ ...player, server }));
    players.splice(0, count, ...arrived);
  };
  return { world, round, arrive };
}

describe('a drain', () => {
  it.each([
    { restarting: true, says: 'for a restart ends the service for good', cause: 'requested by anna' },
    { restarting: false, says: 'for another reason changes nothing', cause: 'a test' },
  ])('of a service that is stopping $says', async ({ restarting, cause }) => {
    const record = aLobby('lobby-4', [0, 60], { restarting, stopping: { since: 5, cause: 'a test' } });
    const records = { all: [record], get: () => record, save: () => Promise.resolve() };
    const parts = { now: () => 1_000_000, events: { add: () => undefined }, records };
    const drains = new Drains(parts as never, () => undefined);
    await drains.drain('lobby-4', null, 'anna');
    expect(record).toMatchObject({ restarting: false, draining: null, stopping: { since: 5, cause } });
  });

  it('stops an empty service even if the clock was set back since the drain began', () => {
    const { world, round } = aDrain();
    const draining = { since: 5_000_000, cause: 'test', until: null };
    const record = aLobby('lobby-4', [0, 60], { draining });
    world.all.push(record);
    round(0);
    expect(record.stopping).not.toBeNull();
  });

  it('sends at most 50 players per second, however many rounds run', () => {
    const { round } = aDrain();
    expect([round(0), round(100), round(100), round(100)]).toEqual([{ 'lobby-2': 50 }, {}, {}, {}]);
    expect(round(699)).toEqual({});
    expect(round(1)).toEqual({ 'lobby-2': 10, 'lobby-3': 40 });
  });

  it('sends players only to fallbacks that the plugins know as open', () => {
    const { world, round } = aDrain();
    world.closed.add('lobby-2');
    expect(round(0)).toEqual({ 'lobby-3': 50 });
  });

  it('offers a slot to another player if the fallback has refused the first player', () => {
    const { world, round } = aDrain();
    world.closed.add('lobby-3');
    world.all.splice(1, 1, aLobby('lobby-2', [59, 60]));
    for (let n = 0; n < 3; n++) round(10_000);
    expect(world.told).toEqual(['uuid-0', 'uuid-1', 'uuid-2']);
  });

  it('sends no more players to a fallback than it has slots, even if none has arrived yet', () => {
    const { round } = aDrain();
    const rounds = [round(0), round(1_000), round(1_000), round(1_000), round(1_000)];
    expect(rounds).toEqual([
      { 'lobby-2': 50 },
      { 'lobby-2': 10, 'lobby-3': 40 },
      { 'lobby-3': 50 },
      { 'lobby-3': 50 },
      {},
    ]);
  });

  it('counts players who have arrived, even if the fallback has not reported them yet', () => {
    const { round, arrive } = aDrain();
    round(0);
    arrive(50, 'lobby-2');
    expect(round(1_000)).toEqual({ 'lobby-2': 10, 'lobby-3': 40 });
  });

  it('sends players again if they have not arrived within ten seconds', () => {
    const { round } = aDrain();
    for (let n = 0; n < 4; n++) round(1_000);
    expect(round(6_999)).toEqual({});
    expect(round(1)).toEqual({ 'lobby-3': 50 });
  });

  it('no longer counts players who were sent to a fallback and have left the network', () => {
    const { world, round } = aDrain();
    round(0);
    world.players.splice(0, 50);
    expect(round(1_000)).toEqual({ 'lobby-2': 50 });
  });

  it('at once sends other players in place of players whose proxy cannot be reached', () => {
    const { world, round } = aDrain();
    world.unreachable = new Set(world.players.slice(0, 60).map(({ uuid }) => uuid));
    expect(round(0)).toEqual({});
    expect(round(100)).toEqual({ 'lobby-2': 40 });
    expect(round(100)).toEqual({ 'lobby-2': 10 });
  });

  it('keeps its limits if the drain is cancelled and begins again', () => {
    const { world, round } = aDrain();
    const [first] = world.all;
    if (first === undefined) throw new Error('lobby-1 is missing');
    const { draining } = first;
    round(0);
    first.draining = null;
    round(100);
    first.draining = draining;
    expect(round(100)).toEqual({});
  });
});
