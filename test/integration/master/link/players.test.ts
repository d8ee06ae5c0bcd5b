import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { PluginLinkEvent } from '#master/link/link.ts';
import { LinkClient } from '#test/support/link/link-client.ts';
import { LinkProxy } from '#test/support/link/link-proxy.ts';
import { backend, openLinkFixture, services, type LinkFixture } from '#test/support/link/link-fixture.ts';
import { waitFor } from '#test/support/wait-for.ts';

let fixture: LinkFixture;

afterEach(() => fixture.link.close());

const BACKENDS = [backend('lobby-1'), backend('game-1', { open: false })];

async function openWith(...ids: string[]): Promise<LinkProxy[]> {
  fixture = await openLinkFixture();
  tell(...ids);
  const proxies = ids.filter((id) => id.startsWith('proxy')).map((id) => new LinkProxy(id));
  for (const proxy of proxies) await proxy.link(fixture.link.handOver(proxy.id));
  return proxies;
}

function tell(...ids: string[]): void {
  fixture.link.setNetwork({ limit: 50, backends: BACKENDS, services: services(...ids) });
}

describe('the list of players on the network', () => {
  it('contains the players whom proxies report, and follows joins, switches and leaves', async () => {
    const [proxy] = await openWith('proxy-1', 'lobby-1');
    if (proxy === undefined) throw new Error('no proxy');
    const events: PluginLinkEvent[] = [];
    fixture.link.on((event) => events.push(event));
    const uuid = proxy.enter({ name: 'Alex' });
    await waitFor(() => fixture.link.online === 1);
    expect(fixture.link.players).toMatchObject([{ uuid, name: 'Alex', proxy: 'proxy-1', server: null }]);
    proxy.switch(uuid, 'lobby-1');
    await waitFor(() => fixture.link.playersOn('lobby-1') === 1);
    proxy.leave(uuid);
    await waitFor(() => fixture.link.online === 0);
    expect([fixture.link.players, fixture.link.playersOn('lobby-1')]).toEqual([[], 0]);
    expect(events.map(({ kind }) => kind)).toEqual(['joined', 'switched', 'left']);
    await waitFor(() => proxy.client?.all('network').at(-1)?.online === 0);
  });

  it('keeps players while their proxy is disconnected, and is correct again after it reconnects', async () => {
    const [proxy] = await openWith('proxy-1');
    if (proxy === undefined) throw new Error('no proxy');
    const [stays, goes] = [proxy.enter({ name: 'Stays' }), proxy.enter({ name: 'Goes' })];
    await waitFor(() => fixture.link.online === 2);
    proxy.unlink();
    await waitFor(() => fixture.link.reportOf('proxy-1')?.plugin.state === 'silent');
    expect(fixture.link.online).toBe(2);
    proxy.leave(goes);
    const comes = proxy.enter({ name: 'Comes' });
    const events: PluginLinkEvent[] = [];
    fixture.link.on((event) => events.push(event));
    await proxy.link(fixture.link.handOver('proxy-1'));
    await waitFor(() => fixture.link.players.some(({ name }) => name === 'Comes'));
    expect(fixture.link.players.map(({ uuid }) => uuid).sort()).toEqual([stays, comes].sort());
    await waitFor(() => events.length === 3);
    expect(events.map(({ kind }) => kind)).toEqual(['linked', 'left', 'joined']);
  });

  it('is complete again after a restart of the master and the reconnect of all proxies', async () => {
    const [proxy] = await openWith('proxy-1');
    if (proxy === undefined) throw new Error('no proxy');
    for (let count = 0; count < 1_234; count++) proxy.enter({ server: 'lobby-1' });
    proxy.unlink();
    await fixture.restart();
    tell('proxy-1', 'lobby-1');
    await proxy.link(fixture.link.handOver('proxy-1'));
    await waitFor(() => fixture.link.playersOn('lobby-1') === 1_234);
    expect(fixture.link.online).toBe(1_234);
  });

  it('contains no players of an exited proxy', async () => {
    const [one, two] = await openWith('proxy-1', 'proxy-2');
    one?.enter();
    two?.enter();
    await waitFor(() => fixture.link.online === 2);
    tell('proxy-2');
    expect([fixture.link.online, fixture.link.players.length, fixture.link.playersOn('proxy-1')]).toEqual([
      1, 1, 0,
    ]);
  });

  it('contains each player once, and the older of two connections is closed', async () => {
    const [one, two] = await openWith('proxy-1', 'proxy-2');
    const uuid = one?.enter({ name: 'Twin' }) ?? '';
    await waitFor(() => fixture.link.online === 1);
    two?.enter({ uuid, name: 'Twin' });
    await waitFor(() => one?.sessions.size === 0, { what: 'the older one to be kicked' });
    expect(fixture.link.players).toMatchObject([{ uuid, proxy: 'proxy-2' }]);
    expect(two?.sessions.size).toBe(1);
  });
});

describe('the number of players on a game server', () => {
  it('contains no players of disconnected proxies once its own plugin has reported how many players it has', async () => {
    const [one, two] = await openWith('proxy-1', 'proxy-2', 'lobby-1');
    one?.enter({ server: 'lobby-1' });
    two?.enter({ server: 'lobby-1' });
    await waitFor(() => fixture.link.playersOn('lobby-1') === 2);
    one?.unlink();
    await waitFor(() => fixture.link.reportOf('proxy-1')?.plugin.state === 'silent');
    expect(fixture.link.playersOn('lobby-1')).toBe(2);
    const game = await LinkClient.link({ ...fixture.link.handOver('lobby-1'), platform: 'bukkit' });
    expect(fixture.link.playersOn('lobby-1')).toBe(2);
    game.send({ type: 'count', online: 1, max: 20 });
    await waitFor(() => fixture.link.reportOf('lobby-1')?.count?.online === 1);
    expect([fixture.link.playersOn('lobby-1'), fixture.link.online]).toEqual([1, 2]);
    game.close();
    await waitFor(() => fixture.link.reportOf('lobby-1')?.plugin.state === 'silent');
    expect(fixture.link.playersOn('lobby-1')).toBe(2);
  });
});

describe('the request to kick or send a player', () => {
  it('reaches the proxy of the player', async () => {
    const [one, two] = await openWith('proxy-1', 'proxy-2', 'lobby-1');
    const uuid = two?.enter({ name: 'Alex' }) ?? '';
    await waitFor(() => fixture.link.online === 1);
    fixture.link.send(uuid, 'lobby-1');
    fixture.link.kick(uuid, 'Good night');
    expect(await two?.client?.next('send')).toEqual({ type: 'send', uuid, server: 'lobby-1' });
    expect(await two?.client?.next('kick')).toEqual({ type: 'kick', uuid, message: 'Good night' });
    expect([one?.client?.all('kick'), one?.client?.all('send')]).toEqual([[], []]);
  });

  it('is rejected if the player is not online or the target server accepts no players', async () => {
    const [proxy] = await openWith('proxy-1', 'lobby-1', 'game-1');
    const uuid = proxy?.enter({ name: 'Alex' }) ?? '';
    await waitFor(() => fixture.link.online === 1);
    const codeOf = (act: () => void): string => {
      try {
        act();
        return 'none';
      } catch (error) {
        return error instanceof OverworldError ? (error as OverworldError).code : String(error);
      }
    };
    expect(codeOf(() => fixture.link.kick(randomUUID(), ''))).toBe('PLAYER_NOT_FOUND');
    expect(codeOf(() => fixture.link.send(uuid, 'game-1'))).toBe('SERVICE_NOT_JOINABLE');
    expect(codeOf(() => fixture.link.send(uuid, 'game-9'))).toBe('SERVICE_NOT_JOINABLE');
  });

  it('is rejected while the proxy of the player is disconnected', async () => {
    const [proxy] = await openWith('proxy-1', 'lobby-1');
    if (proxy === undefined) throw new Error('no proxy');
    const uuid = proxy.enter({ name: 'Alex' });
    await waitFor(() => fixture.link.online === 1);
    proxy.unlink();
    await waitFor(() => fixture.link.reportOf('proxy-1')?.plugin.state === 'silent');
    const refusal = expect.objectContaining({
      code: 'PLAYER_UNREACHABLE',
      retry: true,
      message:
        'The player Alex is on proxy-1, whose plugin is not linked to the master. Try again once it is linked.',
    }) as Error;
    expect(() => {
      fixture.link.kick(uuid, '');
    }).toThrow(refusal);
    expect(() => {
      fixture.link.send(uuid, 'lobby-1');
    }).toThrow(refusal);
    await proxy.link(fixture.link.handOver('proxy-1'));
    await waitFor(() => fixture.link.reportOf('proxy-1')?.plugin.state === 'linked');
    fixture.link.kick(uuid, 'Good night');
    expect(await proxy.client?.next('kick')).toEqual({ type: 'kick', uuid, message: 'Good night' });
  });
});

describe('the message of a plugin to the master', () => {
  it('reports whether its service is in use, and the number of players', async () => {
    await openWith('game-1');
    const game = await LinkClient.link({ ...fixture.link.handOver('game-1'), platform: 'bukkit' });
    game.send({ type: 'in-use', inUse: true, why: 'a match runs' });
    game.send({ type: 'count', online: 3, max: 20 });
    await waitFor(() => fixture.link.reportOf('game-1')?.count?.online === 3);
    expect(fixture.link.reportOf('game-1')).toMatchObject({
      inUse: { why: 'a match runs' },
      plugin: { platform: 'bukkit' },
    });
    game.send({ type: 'in-use', inUse: false, why: '' });
    await waitFor(() => fixture.link.reportOf('game-1')?.inUse === null);
  });

  it('can ask for the stop of a service on behalf of a player, and gets the result as the answer', async () => {
    const [proxy] = await openWith('proxy-1', 'game-1');
    const client = proxy?.client;
    if (client === undefined || client === null) throw new Error('no proxy');
    client.send({ type: 'stop-service', id: 1, service: 'game-1', by: 'Admin' });
    expect(await client.next('answer', ({ id }) => id === 1)).toMatchObject({ ok: false });
    fixture.link.onStopService((service, by) => {
      if (service === 'game-1') return Promise.resolve(`${service} is stopped, ${by.name} of ${by.proxy}.`);
      return Promise.reject(new OverworldError('SERVICE_NOT_FOUND', { service }));
    });
    client.send({ type: 'stop-service', id: 2, service: 'game-1', by: 'Admin' });
    expect(await client.next('answer', ({ id }) => id === 2)).toMatchObject({
      ...{ ok: true, text: 'game-1 is stopped, Admin of proxy-1.' },
    });
    client.send({ type: 'stop-service', id: 3, service: 'game-7', by: 'Admin' });
    const refused = await client.next('answer', ({ id }) => id === 3);
    expect(refused.ok).toBe(false);
    expect(refused.text).toContain('game-7');
  });
});

describe('the plugin link of a large network', () => {
  it('connects all plugins at the same time, and sends a change to each plugin', async () => {
    const ids = Array.from({ length: 200 }, (_, index) => `game-${index + 1}`);
    fixture = await openLinkFixture();
    tell(...ids);
    // As after a restart of the master, all plugins connect at once, and retry if the connection fails.
    const clients = await Promise.all(
      ids.map((id) => waitFor(() => LinkClient.link({ ...fixture.link.handOver(id), platform: 'bukkit' }))),
    );
    await waitFor(() => fixture.link.state.plugins === 200);
    fixture.link.setNetwork({ limit: 7, backends: [backend('lobby-9')], services: services(...ids) });
    await Promise.all(
      clients.map((client) => client.next('backends', ({ gone }) => gone.includes('lobby-1'))),
    );
    fixture.link.setNetwork({ limit: 8, backends: [backend('lobby-9')], services: services(...ids) });
    await Promise.all(clients.map((client) => client.next('network', ({ limit }) => limit === 8)));
  });

  it('can connect more than 4,096 services', async () => {
    const ids = Array.from({ length: 4_200 }, (_, index) => `game-${index + 1}`);
    // This process performs both sides of all handshakes, so on a busy machine, greetings and heartbeats are late.
    fixture = await openLinkFixture({
      timing: { greetingMs: 120_000, heartbeatMs: 60_000, silentAfterMs: 300_000 },
    });
    tell(...ids);
    for (let from = 0; from < ids.length; from += 40) {
      // Connect from several addresses, because the services are on many nodes.
      const address = `127.0.1.${1 + Math.floor(from / 200)}`;
      await Promise.all(
        ids
          .slice(from, from + 40)
          .map((id) => LinkClient.link({ ...fixture.link.handOver(id), platform: 'bukkit', from: address })),
      );
    }
    expect(fixture.link.state.plugins).toBe(4_200);
  }, 900_000);

  it('sends the list of game servers in parts, and later only changes', async () => {
    const all = Array.from({ length: 5_000 }, (_, index) => backend(`game-${index + 1}`));
    fixture = await openLinkFixture();
    fixture.link.setNetwork({ limit: 7, backends: all, services: services('proxy-1') });
    const client = await LinkClient.link(fixture.link.handOver('proxy-1'));
    await client.next('backends', ({ done }) => done);
    const parts = client.all('backends');
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.map(({ reset }) => reset)).toEqual([true, ...parts.slice(1).map(() => false)]);
    expect(parts.flatMap(({ put }) => put)).toEqual(all);
    const changed = all.slice(1).map((one, index) => (index === 7 ? { ...one, players: 3 } : one));
    fixture.link.setNetwork({ limit: 7, backends: changed, services: services('proxy-1') });
    await client.next('backends', ({ gone }) => gone.length > 0);
    const news = client.all('backends').slice(parts.length);
    expect(news.flatMap(({ put }) => put)).toEqual([{ ...all[8], players: 3 }]);
    expect(news.flatMap(({ gone }) => gone)).toEqual(['game-1']);
  });

  it('sends the numbers of players at most four times a second', async () => {
    fixture = await openLinkFixture({ timing: {} });
    tell('proxy-1');
    const proxy = new LinkProxy('proxy-1');
    await proxy.link(fixture.link.handOver('proxy-1'));
    const startedAt = performance.now();
    for (let count = 0; count < 300; count++) {
      proxy.enter();
      if (count % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await waitFor(() => proxy.client?.all('network').at(-1)?.online === 300);
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(proxy.client?.all('network').length).toBeLessThanOrEqual(2 + seconds * 4);
  });
});
