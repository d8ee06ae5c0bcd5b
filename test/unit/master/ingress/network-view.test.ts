import { describe, expect, it } from 'vitest';
import { backendSchema } from '#shared/link/messages.ts';
import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import type { NodeState } from '#shared/model/node.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { isSameView, IngressViewer, type NetworkFacts } from '#master/ingress/network-view.ts';
import { noLink, noProxies } from '#test/support/link/no-ingress.ts';
import { aMaster, restarted, seenOn, seenWith } from '#test/support/master/observing-master.ts';

const NO_WISH = { held: false, locked: false, schedule: null, byRules: false };

/** Returns a network whose records a test can change. */
function aNetwork(records: ServiceRecord[] = []) {
  const templates = new Map<string, { state: { config: TemplateConfig } }>();
  const world = {
    node: 'READY' as NodeState,
    /** Since when node-1 is unreachable. */
    silentSince: null as number | null,
    leaving: null as string | null,
    limit: 100,
    /** The proxies whose plugins have been linked. */
    linked: [] as readonly string[],
  };
  /** Numbers of players in the answers to pings; null for an unanswered ping. */
  const pings = new Map<string, number | null>();
  const jars = new Map([
    ['gate', { revision: 'r1', jar: { software: 'Velocity 3.4.0' } }],
    ['lobby', { revision: 'r1', jar: { software: 'io.papermc.paperclip.Main' } }],
  ]);
  const known = {
    config: {
      templates,
      get master() {
        return { config: { max_online_players: world.limit } };
      },
    },
    records: { all: records },
    templates: { state: (id: string) => jars.get(id) ?? { revision: null, jar: null } },
    proxies: { ...noProxies(), kindOf: (id: string) => (id === 'gate' ? 'velocity' : null) },
    registry: {
      nodes: () => [
        { id: 'local', state: 'READY', silentSince: null },
        { id: 'node-1', state: world.node, silentSince: world.silentSince },
      ],
    },
    overrides: { ofNode: () => NO_WISH, leavingOf: (id: string) => (world.leaving === id ? 'drain' : null) },
    pinger: {
      state: (id: string) => {
        const online = pings.get(id);
        if (online === undefined) return null;
        return { answer: online === null ? null : { players: { online } } };
      },
    },
    link: { ...noLink(), hasLinked: (id: string) => world.linked.includes(id) },
    now: () => 1_000_000,
    ownHost: '10.0.0.2',
  };
  const template = (id: string, config: Partial<TemplateConfig> = {}): void => {
    templates.set(id, { state: { config: templateConfigSchema.parse({ isProxy: false, ...config }) } });
  };
  const add = (id: string, fields: Partial<ServiceRecord> = {}): ServiceRecord => {
    const name = id.slice(0, id.lastIndexOf('-'));
    const record = {
      ...{ id, template: name, state: 'RUNNING', node: 'node-1', startedAt: 5, upAt: 6, adoptedAt: null },
      ...{
        stopping: null,
        retiring: null,
        draining: null,
        unresponsive: false,
        players: { online: 0, max: 20 },
      },
      address: { host: '10.0.0.7', port: 25_500 + records.length },
      placed: {
        revision: 'r1',
        values: { isProxy: name === 'gate' || name === 'odd', maxPlayers: 20 },
        given: { proxyProtocol: true, plugin: null },
      },
      ...fields,
      // Other fields of a record are not used.
    } as unknown as ServiceRecord;
    records.push(record);
    return record;
  };
  template('lobby', { isFallback: true, joinPermission: 'vip', name: 'The lobby' });
  template('gate', { isProxy: true });
  template('odd', { isProxy: true });
  // The view reads only these parts.
  const viewer = new IngressViewer(known as unknown as NetworkFacts);
  const look = () => viewer.view();
  const open = (): string[] => {
    const { network, entries } = look();
    return [...network.backends, ...(entries ?? [])].filter((one) => one.open).map(({ id }) => id);
  };
  return { world, records, templates, jars, pings, add, look, open };
}

describe('the network data for plugins and the load balancer', () => {
  it('contains an unobserved service as a proxy if its template is for proxies', () => {
    const { add, look } = aNetwork();
    const unseen = { state: 'STARTING', startedAt: null, upAt: null, adoptedAt: 7, address: null } as const;
    add('gate-1', { ...unseen, placed: null });
    add('lobby-1', { ...unseen, placed: null });
    add('gone-1', { ...unseen, placed: null });
    const services = look().network.services.map(({ id, isProxy }) => [id, isProxy]);
    expect(services).toEqual([
      ['gate-1', true],
      ['lobby-1', false],
      ['gone-1', false],
    ]);
  });

  it('contains game servers for the plugins in proxies, and proxies for the load balancer', () => {
    const { add, look, pings } = aNetwork();
    add('gate-1');
    add('gate-2', { state: 'STARTING', upAt: null });
    add('lobby-1', { players: { online: 3, max: 20 }, address: { host: '127.0.0.1', port: 25_600 } });
    add('lobby-2', { state: 'REQUESTED', node: null, address: null, placed: null });
    add('odd-1');
    for (const id of ['gate-1', 'lobby-1', 'odd-1']) pings.set(id, 4);
    const { network, entries } = look();
    expect(network.limit).toBe(100);
    expect(network.backends).toEqual([
      {
        ...{ id: 'lobby-1', template: 'lobby', name: 'The lobby', host: '10.0.0.2', port: 25_600 },
        ...{ fallback: true, permission: 'vip', players: 3, maxPlayers: 20, fillLevel: 16, open: true },
      },
    ]);
    expect(entries).toEqual([
      {
        id: 'gate-1',
        host: '10.0.0.7',
        port: 25_500,
        proxyProtocol: true,
        open: true,
        maxPlayers: 20,
        fillLevel: 16,
      },
    ]);
    expect(network.services).toEqual([
      { id: 'gate-1', isProxy: true, family: 'velocity', pinged: 4 },
      { id: 'gate-2', isProxy: true, family: 'velocity', pinged: null },
      { id: 'lobby-1', isProxy: false, family: 'paper', pinged: null },
      // odd-1 is configured as a proxy by mistake. Its players do not count as players of a proxy.
      { id: 'odd-1', isProxy: true, family: 'other', pinged: null },
    ]);
  });

  it('contains the software that a service was started with, even if its template has changed', () => {
    const { add, look, jars } = aNetwork();
    const family = (id: string) => look().network.services.find((one) => one.id === id)?.family;
    add('lobby-1');
    expect(family('lobby-1')).toBe('paper');
    jars.set('lobby', { revision: 'r2', jar: { software: 'Velocity 3.4.0' } });
    add('lobby-2');
    expect(family('lobby-1')).toBe('paper');
    expect(family('lobby-2')).toBe('other');
  });

  it('marks a service as closed while it is replaced or its node is drained, but only if another service is open', () => {
    const { add, open, world } = aNetwork();
    const [gate, lobby] = [add('gate-1'), add('lobby-1')];
    expect(open()).toEqual(['lobby-1', 'gate-1']);
    gate.retiring = lobby.retiring = { since: 1, cause: 'x' };
    expect(open()).toEqual(['lobby-1', 'gate-1']);
    const others = [add('gate-2', { node: 'local' }), add('lobby-2', { node: 'local' })];
    expect(open()).toEqual(['lobby-2', 'gate-2']);
    gate.retiring = lobby.retiring = null;
    world.node = 'CORDONED';
    expect(open()).toEqual(['lobby-1', 'lobby-2', 'gate-1', 'gate-2']);
    world.node = 'DRAINING';
    expect(open()).toEqual(['lobby-2', 'gate-2']);
    for (const other of others) other.stopping = { since: 1, cause: 'x' };
    expect(open()).toEqual(['lobby-1', 'gate-1']);
  });

  it('marks a proxy whose plugin has not connected as closed, but only if another proxy has room', () => {
    const { add, open, world } = aNetwork();
    const gates = [add('gate-1'), add('gate-2')];
    for (const { placed } of gates) Object.assign(placed?.given ?? {}, { plugin: '1.0.0' });
    expect(open()).toEqual(['gate-1', 'gate-2']);
    world.linked = ['gate-1'];
    expect(open()).toEqual(['gate-1']);
    Object.assign(gates[0] ?? {}, { players: { online: 20, max: 20 } });
    expect(open()).toEqual(['gate-1', 'gate-2']);
  });

  it('marks a service as open again during its replacement if no other open service has room', () => {
    const { add, open } = aNetwork();
    const old = [add('gate-1'), add('lobby-1'), add('lobby-2')];
    for (const one of old) one.retiring = { since: 1, cause: 'x' };
    const others = [add('gate-2'), add('lobby-3')];
    expect(open()).toEqual(['lobby-3', 'gate-2']);
    for (const other of others) other.players = { online: 20, max: 20 };
    expect(open()).toEqual(['lobby-1', 'lobby-2', 'lobby-3', 'gate-1', 'gate-2']);
  });

  it('keeps a reopened service open while the open services have only a few free slots', () => {
    const { add, open } = aNetwork();
    const old = [add('gate-1'), add('lobby-1')];
    for (const one of old) one.retiring = { since: 1, cause: 'x' };
    const others = [add('gate-2'), add('lobby-2')];
    const openWith = (online: number): string[] => {
      for (const other of others) other.players = { online, max: 20 };
      return open();
    };
    const [all, onlyOthers] = [
      ['lobby-1', 'lobby-2', 'gate-1', 'gate-2'],
      ['lobby-2', 'gate-2'],
    ];
    expect(openWith(19)).toEqual(onlyOthers);
    expect(openWith(20)).toEqual(all);
    expect(openWith(19)).toEqual(all);
    expect(openWith(16)).toEqual(all);
    expect(openWith(15)).toEqual(onlyOthers);
    expect(openWith(19)).toEqual(onlyOthers);
  });

  it('sends players to silent services on an unreachable node only if no other service has room', () => {
    const { add, open, world, pings } = aNetwork();
    for (const id of ['gate-1', 'lobby-1']) add(id);
    for (const id of ['gate-2', 'lobby-2']) add(id, { node: 'local' });
    world.silentSince = 0;
    for (const id of ['gate-2', 'lobby-2']) pings.set(id, 0);
    expect(open()).toEqual(['lobby-1', 'lobby-2', 'gate-1', 'gate-2']);
    for (const id of ['gate-1', 'lobby-1']) pings.set(id, null);
    expect(open()).toEqual(['lobby-2', 'gate-2']);
    for (const id of ['gate-2', 'lobby-2']) pings.set(id, null);
    expect(open()).toEqual(['lobby-2', 'gate-2']);
  });

  it('marks game servers on a lost node as closed, and contains no proxies on it', () => {
    const { add, look, world } = aNetwork();
    for (const id of ['gate-1', 'lobby-1']) add(id);
    world.node = 'LOST';
    expect(look().network.backends).toMatchObject([{ id: 'lobby-1', open: false }]);
    expect(look().entries).toEqual([]);
  });

  it('marks game servers as closed if their template is deleted or will be deleted', () => {
    const { add, open, world, templates } = aNetwork();
    add('lobby-1');
    world.leaving = 'lobby';
    expect(open()).toEqual([]);
    world.leaving = null;
    templates.delete('lobby');
    expect(open()).toEqual([]);
  });

  it('marks running services as open after a restart of the master, even before they answer', () => {
    const { add, look, open } = aNetwork();
    const unobserved = { state: 'STARTING', upAt: null, adoptedAt: 9, lastUp: null } as const;
    add('gate-1', unobserved);
    add('lobby-1', unobserved);
    add('lobby-2', { ...unobserved, lastUp: { startedAt: 5, state: 'IN_USE', since: 6, unusedSince: null } });
    expect(open()).toEqual(['lobby-2', 'gate-1']);
    expect(look().network.backends).toMatchObject([{ id: 'lobby-1', open: false }, {}]);
  });

  it('contains the last observed services of a node that the master has not reached since its restart', async () => {
    const first = await aMaster('node-1');
    for (const id of ['gate-1', 'lobby-1']) first.placed(id, 'node-1');
    const started = { isProxy: true, proxyProtocol: true, maxPlayers: 50 };
    await first.look([seenWith('node-1', 'gate-1', started), seenOn('node-1', 'lobby-1')]);
    const { look, records } = await restarted(first);
    await look([], ['node-1']);
    const { entries, network } = aNetwork([...records.all]).look();
    const address = { host: '10.99.0.11', port: 25_565 };
    expect(entries).toMatchObject([
      { id: 'gate-1', ...address, proxyProtocol: true, open: true, maxPlayers: 50 },
    ]);
    expect(network.backends).toMatchObject([{ id: 'lobby-1', ...address, players: 0, maxPlayers: 20 }]);
  });

  it('consists of the same objects as before if nothing has changed', () => {
    const { add, look, world } = aNetwork();
    const lobby = add('lobby-1');
    add('gate-1');
    const first = look();
    expect(isSameView(first, look())).toEqual({ network: true, entries: true });
    lobby.players = { online: 1, max: 20 };
    const second = look();
    expect(isSameView(first, second)).toEqual({ network: false, entries: true });
    expect(second.network.services[0]).toBe(first.network.services[0]);
    world.limit = 5;
    expect(isSameView(second, look())).toEqual({ network: false, entries: true });
  });

  it('reports exactly once that the previous process of a restarted service has exited', () => {
    const { add, look } = aNetwork();
    const gate = add('gate-1');
    const first = look();
    Object.assign(gate, { state: 'PREPARING', startedAt: null, address: null });
    const again = look();
    expect([...again.reborn].map(({ id }) => id)).toEqual(['gate-1']);
    expect(isSameView(first, again).network).toBe(false);
    expect(look().reborn.size).toBe(0);
    Object.assign(gate, { state: 'STARTING', startedAt: 20 });
    expect(look().reborn.size).toBe(0);
  });

  it('reports the exit of a service exactly once, even if a new service already has the same id', () => {
    const { add, look, records } = aNetwork();
    add('lobby-1');
    look();
    records.length = 0;
    add('lobby-1', { state: 'PREPARING', startedAt: null, address: null });
    expect([...look().reborn].map(({ id }) => id)).toEqual(['lobby-1']);
    expect(look().reborn.size).toBe(0);
  });

  it('contains the player limit of the template if the server reports no limit', () => {
    const { add, look } = aNetwork();
    const lobby = add('lobby-1', { players: { online: 3, max: -1 } });
    Object.assign(lobby.placed?.values ?? {}, { maxPlayers: 40 });
    expect(look().network.backends).toMatchObject([{ players: 3, maxPlayers: 40 }]);
  });

  it('contains only numbers that plugins accept, even if a game server reports others', () => {
    const { add, look } = aNetwork();
    add('lobby-1', { players: { online: 10_000_000_000, max: -1 } });
    expect(look().network.backends.map((one) => backendSchema.safeParse(one).data)).toMatchObject([
      { players: 2_147_483_647, maxPlayers: 20 },
    ]);
  });
});
