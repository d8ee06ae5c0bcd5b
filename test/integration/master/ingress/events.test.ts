import type { LoopContext } from '#master/control/loop/loop-context.ts';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { BalancerView } from '#shared/model/player-entry.ts';
import { endService } from '#master/control/services/stop.ts';

import { RecordStore } from '#master/state/services/record-store.ts';
import { BalancerEvents } from '#master/ingress/balancer-events.ts';
import { PluginEvents } from '#master/ingress/plugin-events.ts';
import { JoinRejections } from '#master/ingress/rejections.ts';
import { EventLog } from '#master/store/event-log.ts';
import { noBalancer, noLink, noProxies } from '#test/support/link/no-ingress.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

async function aMaster() {
  const folder = temporaryFolder();
  const events = await EventLog.open(join(folder, 'activity.jsonl'), Date.now);
  onTestFinished(() => events.close());
  const records = await RecordStore.open(join(folder, 'services.json'));
  const record = records.add({ id: 'gate-1', template: 'gate', requestedAt: 1, cause: 'x', manual: false });
  const placed = { values: { isProxy: true, persistentPaths: [] }, given: { plugin: '1.0.0' } };
  Object.assign(record, { state: 'RUNNING', node: 'local', startedAt: 5, upAt: 6, placed });
  const world = { now: 1_000_000, missing: null as string | null };
  const known = {
    now: () => world.now,
    volumes: { of: () => undefined },
    ...{ events, records, link: { ...noLink() }, balancer: { ...noBalancer() }, proxies: noProxies() },
    config: { master: { config: { max_online_players: 5 } }, templates: new Map() },
    supplies: { pluginJar: null, missing: null },
  };
  const told = (): string[] =>
    events
      .query({ limit: 100 })
      .map(({ kind, message }) => `${kind} ${message}`)
      .reverse();
  // Contains only the members of the loop's context that the tests use.
  return { known, parts: known as unknown as LoopContext, record, world, told };
}

describe('the events about a plugin', () => {
  const plugin = (state: 'linked' | 'silent', since: number) =>
    ({ state, since, platform: 'velocity', software: 'Velocity 3', version: '1.0.0' }) as const;

  it('report once that the plugin has connected, once that it is silent, and once that it has reconnected', async () => {
    const { parts, record, world, told } = await aMaster();
    const events = new PluginEvents(parts);
    record.plugin = plugin('linked', world.now);
    events.update();
    events.update();
    record.plugin = plugin('silent', world.now);
    world.now += 9_000;
    events.update();
    expect(told()).toHaveLength(1);
    world.now += 2_000;
    events.update();
    events.update();
    record.plugin = plugin('linked', world.now);
    events.update();
    expect(told()).toEqual([
      'service.plugin-linked The plugin in gate-1 is linked',
      'service.plugin-silent The plugin in gate-1 is silent and keeps working with the last known data',
      'service.plugin-linked The plugin in gate-1 is linked again',
    ]);
  });

  it('report once that the plugin of a proxy has not connected within 20 s, and then that it is linked', async () => {
    const { known, parts, record, world, told } = await aMaster();
    Object.assign(known.proxies, { kindOf: () => 'velocity' });
    record.upAt = world.now;
    const events = new PluginEvents(parts);
    world.now += 20_000;
    events.update();
    expect(told()).toEqual([]);
    world.now += 1;
    events.update();
    events.update();
    record.plugin = plugin('linked', world.now);
    events.update();
    expect(told()).toEqual([
      'service.plugin-silent The plugin in gate-1 has not connected to the master, so gate-1 probably rejects all players',
      'service.plugin-linked The plugin in gate-1 is linked',
    ]);
  });

  it('are not created when the service stops, or for a plugin that was connected before the master started', async () => {
    const { parts, record, world, told } = await aMaster();
    const events = new PluginEvents(parts);
    record.adoptedAt = 3;
    record.plugin = plugin('linked', world.now);
    events.update();
    record.plugin = plugin('silent', world.now);
    record.stopping = { since: 1, cause: 'x' };
    world.now += 60_000;
    events.update();
    expect(told()).toEqual([]);
  });

  it('report that plugins cannot reach the master as soon as a service with a plugin is running', async () => {
    const { known, parts, record, told } = await aMaster();
    const error = toWire(
      new OverworldError('LINK_LISTEN_FAILED', { address: '127.0.0.1:1510', why: 'it is in use' }),
    );
    known.link = { ...known.link, state: { listening: null, error, plugins: 0 } };
    const events = new PluginEvents(parts);
    record.state = 'STARTING';
    events.update();
    expect(told()).toEqual([]);
    record.state = 'RUNNING';
    events.update();
    events.update();
    expect(told()).toEqual([expect.stringMatching(/^master\.trouble Plugins cannot reach the master/)]);
  });
});

describe('the load balancer', () => {
  it('causes one event after a problem of several seconds, and another event when the problem is solved', async () => {
    const { known, parts, world, told } = await aMaster();
    const view = (state: BalancerView['state']): void => {
      known.balancer = { ...noBalancer(), view: { ...noBalancer().view, state } };
    };
    const events = new BalancerEvents(parts);
    const look = (state: BalancerView['state'], ms: number): void => {
      view(state);
      events.update();
      world.now += ms;
      events.update();
    };
    look('trouble', 4_000);
    look('working', 1_000);
    look('trouble', 6_000);
    look('trouble', 60_000);
    look('working', 1_000);
    expect(told().map((line) => line.split(' ')[0])).toEqual(['balancer.trouble', 'balancer.working']);
  });

  it('closes a proxy to new players before the proxy is stopped, but not before it is killed', async () => {
    const { known, parts, record } = await aMaster();
    const done: string[] = [];
    known.balancer.closed = (id, timeoutMs) => {
      done.push(`closed ${id} within ${timeoutMs}`);
      return Promise.resolve();
    };
    const runtime = {
      stop: () => {
        done.push('stopped');
        return Promise.resolve(null);
      },
      forget: () => Promise.resolve(),
    };
    const master = { ...parts, runtimeOf: () => runtime } as unknown as LoopContext;
    record.held = true;
    await endService(record, false, master);
    expect(done).toEqual(['closed gate-1 within 2000', 'stopped']);
    done.length = 0;
    Object.assign(record, { node: 'local', placed: { values: { isProxy: true, persistentPaths: [] } } });
    await endService(record, true, master);
    expect(done).toEqual(['stopped']);
  });
});

describe('players who are rejected because of the player limit', () => {
  it('cause one event with their number, at most once a minute per proxy', async () => {
    const { parts, told } = await aMaster();
    let clock = 0;
    const refusals = new JoinRejections(parts, () => clock);
    const turnAway = (proxy: string, name: string): void => refusals.add({ proxy, name, admitted: false });
    for (const name of ['ana', 'bo', 'cy']) turnAway('gate-1', name);
    turnAway('gate-2', 'di');
    clock += 60_000;
    turnAway('gate-1', 'ed');
    clock += 59_000;
    turnAway('gate-1', 'flo');
    expect(told()).toEqual([
      'player.refused gate-1 rejected ana: the network is full',
      'player.refused gate-2 rejected di: the network is full',
      'player.refused gate-1 rejected ed and 2 before: the network is full',
    ]);
  });

  it('are counted for the next event of their proxy, even if another proxy causes an event first', async () => {
    const { parts, told } = await aMaster();
    let clock = 0;
    const refusals = new JoinRejections(parts, () => clock);
    const turnAway = (proxy: string, name: string): void => refusals.add({ proxy, name, admitted: false });
    for (const name of ['ana', 'bo', 'cy']) turnAway('gate-1', name);
    clock += 60_000;
    turnAway('gate-2', 'di');
    turnAway('gate-1', 'ed');
    expect(told().at(-1)).toBe('player.refused gate-1 rejected ed and 2 before: the network is full');
  });

  it('cause an event that names the reason: the remaining slots are reserved for joining players', async () => {
    const { parts } = await aMaster();
    new JoinRejections(parts).add({ proxy: 'gate-1', name: 'ana', admitted: false });
    expect(parts.events.query({ limit: 1 })[0]?.cause).toBe(
      '0 players are online, max_online_players is 5; the other slots are reserved for joining players or by other proxies',
    );
  });
});
