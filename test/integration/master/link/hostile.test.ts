import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectByTls } from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PluginMessage } from '#shared/link/messages.ts';
import type { LinkTiming } from '#master/link/timing.ts';
import { PLUGIN_RATE } from '#master/link/server/listener.ts';
import { LineSplitter } from '#shared/node/line-splitter.ts';
import { PlayerSessions } from '#master/link/sessions/player-sessions.ts';
import { LinkClient } from '#test/support/link/link-client.ts';
import { backend, openLinkFixture, services, type LinkFixture } from '#test/support/link/link-fixture.ts';
import { waitFor } from '#test/support/wait-for.ts';

let fixture: LinkFixture;

afterEach(() => fixture.link.close());

async function openWith(...ids: string[]): Promise<void> {
  await openTimed({ greetingMs: 1_500, heartbeatMs: 200, silentAfterMs: 2_000 }, ...ids);
}

/** Opens a link with other time limits. Tests that are not about these limits use longer ones, for busy machines. */
async function openTimed(timing: Partial<LinkTiming>, ...ids: string[]): Promise<void> {
  fixture = await openLinkFixture({ timing });
  fixture.link.setNetwork({ limit: 100, backends: [], services: services(...ids) });
}

/** Opens a TCP connection that never begins TLS. */
function knock(): Socket {
  const { host, port } = fixture.link.handOver('proxy-1');
  const socket = connect({ host, port });
  socket.on('error', () => socket.destroy());
  return socket;
}

const isOpen = (socket: Socket): boolean => !socket.destroyed && !socket.readableEnded;

describe('the plugin link, for clients without a token,', () => {
  it('soon disconnects a client that sends nothing, with or without TLS', async () => {
    await openWith('proxy-1');
    const silent = knock();
    silent.resume();
    const mute = await LinkClient.connect({ ...fixture.link.handOver('proxy-1'), greets: false });
    await waitFor(() => !isOpen(silent));
    await mute.closed();
  });

  it('serves all other clients while one client sends garbage instead of TLS', async () => {
    await openWith('proxy-1');
    const loud = knock();
    loud.resume();
    loud.write(randomBytes(100_000));
    await waitFor(() => !isOpen(loud));
    await LinkClient.link(fixture.link.handOver('proxy-1'));
  });

  it.each([
    ['garbage', 'no JSON at all\n'],
    ['a message other than the greeting first', '{"type":"pong"}\n'],
    ['an incomplete greeting with additional fields', '{"type":"hello","version":1,"admin":true}\n'],
    ['a line without a newline', 'x'.repeat(5_000)],
    ['bytes that are not text', `${randomBytes(200).toString('latin1')}\n`],
  ])('disconnects a client that sends %s, without an answer', async (_, text) => {
    await openWith('proxy-1');
    const client = await LinkClient.connect({ ...fixture.link.handOver('proxy-1'), greets: false });
    client.write(text);
    await client.closed();
    expect(client.messages).toEqual([]);
  });

  it('reads nothing more from a client that it has rejected', async () => {
    await openWith('proxy-1');
    const heard = vi.spyOn(LineSplitter.prototype, 'add');
    const { host, port } = fixture.link.handOver('proxy-1');
    // The client keeps its side of the connection open after the rejection.
    const options = { host, port, rejectUnauthorized: false, allowHalfOpen: true };
    const stranger = connectByTls(options);
    stranger.on('error', () => stranger.destroy());
    stranger.write(`${JSON.stringify(hello('proxy-1'))}\n`);
    await once(stranger, 'data');
    stranger.resume();
    stranger.end('x'.repeat(200_000));
    await once(stranger, 'close');
    const bytes = heard.mock.calls.reduce((sum, [part]) => sum + part.length, 0);
    heard.mockRestore();
    expect(bytes).toBeGreaterThan(100);
    expect(bytes).toBeLessThan(1_000);
  });

  it('disconnects a client that sends one byte at a time, and accepts other clients', async () => {
    await openWith('proxy-1');
    const slow = await LinkClient.connect({ ...fixture.link.handOver('proxy-1'), greets: false });
    const timer = setInterval(() => slow.write('x'), 20);
    await slow.closed();
    clearInterval(timer);
    expect(slow.messages).toEqual([]);
    expect((await LinkClient.link(fixture.link.handOver('proxy-1'))).isClosed).toBe(false);
  });

  it('reads fewer than 100 pieces of a greeting that arrives byte by byte, and disconnects the client', async () => {
    await openWith('proxy-1');
    const heard = vi.spyOn(LineSplitter.prototype, 'add');
    const client = await LinkClient.connect({ ...fixture.link.handOver('proxy-1'), greets: false });
    await letterByLetter(client, 'x'.repeat(400));
    await client.closed();
    const pieces = heard.mock.calls.length;
    heard.mockRestore();
    expect(pieces).toBeLessThan(100);
  });

  it('slows down an address with many TLS handshakes, and no other address', async () => {
    const ids = Array.from({ length: 64 }, (_, index) => `proxy-${index + 1}`);
    await openTimed({ greetingMs: 30_000, silentAfterMs: 60_000 }, ...ids);
    const { host, port } = fixture.link.handOver('proxy-1');
    const startedAt = performance.now();
    let handshakes = 0;
    const strike = (): Promise<void> =>
      new Promise((resolve) => {
        const plain = connect({ host, port, localAddress: '127.0.0.66' });
        const socket = connectByTls({ socket: plain, rejectUnauthorized: false });
        plain.on('error', () => socket.destroy());
        socket.on('error', () => socket.destroy());
        socket.once('secureConnect', () => {
          handshakes += 1;
          socket.destroy();
        });
        socket.once('close', () => resolve());
      });
    for (let wave = 0; wave < 40; wave++) await Promise.all(Array.from({ length: 20 }, strike));
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(handshakes).toBeGreaterThan(200);
    expect(handshakes).toBeLessThan(PLUGIN_RATE.burst + PLUGIN_RATE.perSecond * seconds + 5);
    // As after a restart of the master, each service connects once at the same time. The master rejects none of them.
    await Promise.all(ids.map((id) => LinkClient.link(fixture.link.handOver(id))));
    expect(fixture.link.state.plugins).toBe(64);
  });

  it('accepts plugins while an unknown client opens 10,000 connections', async () => {
    const startedAt = performance.now();
    await openWith('proxy-1', 'proxy-2', 'proxy-3');
    const before = await LinkClient.link(fixture.link.handOver('proxy-1'));
    const knocks: Socket[] = [];
    for (let wave = 0; wave < 20; wave++) {
      for (let count = 0; count < 500; count++) {
        const socket = knock();
        socket.resume();
        knocks.push(socket);
      }
      await waitFor(() => knocks.every((socket) => !socket.connecting));
      // The next wave starts when the master has accepted all connections of this one. If the kernel's queue is full, it
      // drops connections, and their clients never learn that they are closed.
      await expect.poll(() => knocks.filter(isOpen).length, { timeout: 90_000 }).toBeLessThanOrEqual(64);
      if (wave === 10) await linkPatiently('proxy-2');
      expect(before.isClosed).toBe(false);
    }
    await linkPatiently('proxy-3');
    expect(fixture.link.state.plugins).toBe(3);
    // The master logs at most one warning per minute.
    const warnings = fixture.logged().match(/were rejected/g)?.length ?? 0;
    expect(warnings).toBeGreaterThan(0);
    expect(warnings).toBeLessThanOrEqual(1 + Math.floor((performance.now() - startedAt) / 60_000));
  });
});

/** Sends each character in its own TLS record. The master reads each record as one chunk. */
async function letterByLetter({ socket }: LinkClient, text: string): Promise<void> {
  for (const letter of text) {
    if (socket.destroyed) return;
    await new Promise((resolve) => socket.write(letter, resolve));
  }
}

/** Connects in the same way as plugins: retries until the master accepts the connection. */
async function linkPatiently(service: string): Promise<LinkClient> {
  return waitFor(() => LinkClient.link(fixture.link.handOver(service)));
}

describe('the plugin link, for a misbehaving service with a valid token,', () => {
  it.each<[string, PluginMessage]>([
    ['greets twice', hello('proxy-1')],
    ['reports players', { type: 'joined', beyond: false, player: player(1) }],
  ])('disconnects a service that %s', async (what, message) => {
    await openWith('proxy-1', 'game-1');
    const service = what === 'greets twice' ? 'proxy-1' : 'game-1';
    const platform = service === 'proxy-1' ? 'velocity' : 'bukkit';
    const client = await LinkClient.link({ ...fixture.link.handOver(service), platform });
    client.send(message);
    await client.closed();
    expect(fixture.link.online).toBe(0);
  });

  it('disconnects a service that sends an endless line', async () => {
    await openWith('proxy-1');
    const client = await LinkClient.link(fixture.link.handOver('proxy-1'));
    client.write(`{"type":"in-use","inUse":true,"why":"${'x'.repeat(200_000)}"`);
    await client.closed();
    expect(fixture.link.reportOf('proxy-1')?.inUse).toBeNull();
  });

  it('handles all messages of a burst, but slows down messages above the rate limit', async () => {
    await openWith('proxy-1', 'proxy-2');
    const client = await LinkClient.link(fixture.link.handOver('proxy-1'));
    const other = await LinkClient.link(fixture.link.handOver('proxy-2'));
    for (const one of [client, other]) one.send({ type: 'players', players: [], done: true });
    const joins = Array.from({ length: 3_500 }, (_, index) => player(index));
    const startedAt = performance.now();
    for (const one of joins) client.send({ type: 'joined', beyond: false, player: one });
    await waitFor(() => fixture.link.online >= 1_900);
    // During this time, the master handles messages of other services.
    other.send({ type: 'joined', beyond: false, player: player(9_000) });
    await waitFor(() => fixture.link.playersOn('proxy-2') === 1);
    expect(fixture.link.online).toBeLessThan(3_501);
    await waitFor(() => fixture.link.online === 3_501);
    // 1,500 messages exceed the burst and are handled at 500 per second.
    expect(performance.now() - startedAt).toBeGreaterThan(2_500);
    expect(client.isClosed).toBe(false);
  });

  it('applies the rate limit to a service even if it reconnects again and again', async () => {
    await openWith('proxy-1');
    const said: PluginMessage = { type: 'players', players: [], done: true };
    const handOver = fixture.link.handOver('proxy-1');
    const heard = vi.spyOn(PlayerSessions.prototype, 'listed');
    const startedAt = performance.now();
    let [welcome, busy] = [0, 0];
    for (let time = 0; time < 40; time++) {
      const client = await LinkClient.connect(handOver);
      for (let count = 0; count < 1_000; count++) client.send(said);
      const answer = await waitFor(() => client.messages[0]);
      if (answer.type === 'welcome') welcome += 1;
      else if (answer.type === 'refused' && answer.why === 'busy') busy += 1;
      client.socket.destroy();
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const messages = heard.mock.calls.length;
    heard.mockRestore();
    expect(messages).toBeLessThan(2_000 + 500 * seconds);
    expect(welcome).toBeLessThan(8 + 2 * seconds + 1);
    expect(welcome + busy).toBe(40);
    // The master soon accepts a well-behaved service that reconnects.
    await waitFor(async () => {
      const client = await LinkClient.connect(handOver);
      const answer = await waitFor(() => client.messages[0]);
      client.socket.destroy();
      return answer.type === 'welcome';
    });
  });

  it('disconnects a service that sends a message byte by byte', async () => {
    await openWith('proxy-1');
    const client = await LinkClient.link(fixture.link.handOver('proxy-1'));
    await letterByLetter(client, `{"type":"in-use","inUse":true,"why":"x"${' '.repeat(1_200)}}\n`);
    await client.closed();
    expect(fixture.link.reportOf('proxy-1')?.inUse).toBeNull();
  });

  it('logs one line about a service that claims players of other proxies', async () => {
    await openWith('proxy-1', 'proxy-2');
    const [honest, thief] = await Promise.all(
      ['proxy-1', 'proxy-2'].map((id) => LinkClient.link(fixture.link.handOver(id))),
    );
    if (honest === undefined || thief === undefined) throw new Error('no clients');
    const players = Array.from({ length: 50 }, (_, index) => player(index));
    honest.send({ type: 'players', players, done: true });
    await waitFor(() => fixture.link.playersOn('proxy-1') === 50);
    for (const one of players) thief.send({ type: 'joined', beyond: false, player: one });
    await waitFor(() => honest.messages.filter(({ type }) => type === 'kick').length === 50);
    expect(fixture.logged().match(/"from":"proxy-1","by":"proxy-2"/g)).toHaveLength(1);
  });

  it('logs one line about a service that claims too many slots again and again', async () => {
    await openWith('proxy-1');
    const client = await LinkClient.link(fixture.link.handOver('proxy-1'));
    for (let count = 0; count < 500; count++)
      client.send({ type: 'allowance', seq: 1_000_000, allowance: 1_000_000, used: 0 });
    client.send({ type: 'in-use', inUse: true, why: 'all was heard' });
    await waitFor(() => fixture.link.reportOf('proxy-1')?.inUse !== null);
    expect(fixture.logged().match(/reports more slots/g)?.length).toBe(1);
  });

  it('disconnects a service that reports more players than the maximum of one proxy', async () => {
    await openWith('proxy-1');
    const client = await LinkClient.link(fixture.link.handOver('proxy-1'));
    for (let part = 0; part < 41; part++) {
      const players = Array.from({ length: 500 }, (_, index) => player(part * 500 + index));
      client.send({ type: 'players', players, done: false });
    }
    await client.closed();
    expect(fixture.link.online).toBe(0);
  });

  it('disconnects a service that reads nothing, while other services receive everything', async () => {
    await openWith('proxy-1', 'proxy-2');
    const deaf = await LinkClient.link(fixture.link.handOver('proxy-1'));
    const other = await LinkClient.link(fixture.link.handOver('proxy-2'));
    deaf.socket.pause();
    const heap = process.memoryUsage().rss;
    let round = 0;
    await waitFor(async () => {
      round += 1;
      const permission = `round.${round}`;
      const backends = Array.from({ length: 2_000 }, (_, index) =>
        backend(`game-${index + 1}`, { permission }),
      );
      fixture.link.setNetwork({ limit: 100, backends, services: services('proxy-1', 'proxy-2') });
      // On a busy machine, this client would otherwise fall behind, too, and be disconnected.
      await other.next('backends', ({ put }) => put[0]?.permission === permission);
      return fixture.link.reportOf('proxy-1')?.plugin.state === 'silent';
    });
    expect(process.memoryUsage().rss - heap).toBeLessThan(300_000_000);
    expect(other.isClosed).toBe(false);
  });
});

describe('the log of the plugin link', () => {
  it('contains neither tokens nor keys, whatever clients send', async () => {
    await openWith('proxy-1', 'game-1');
    const handOver = fixture.link.handOver('proxy-1');
    await LinkClient.link(handOver);
    const wrong = await LinkClient.connect({ ...handOver, service: 'game-1' });
    await wrong.closed();
    const odd = await LinkClient.connect({ ...handOver, greets: false });
    odd.write(`{"type":"hello","token":"${handOver.token}"}\n`);
    await odd.closed();
    await waitFor(() => fixture.logged().includes('plugin linked'));
    expect(fixture.logged()).not.toContain(handOver.token);
    expect(fixture.logged()).not.toContain('PRIVATE');
  });
});

function hello(service: string): PluginMessage {
  return {
    ...{ type: 'hello', version: 1, service, token: '', platform: 'velocity' },
    ...{ software: '', plugin: '', allowance: 0 },
  };
}

function player(index: number): Extract<PluginMessage, { type: 'joined' }>['player'] {
  return { uuid: randomUUID(), name: `Player${index}`, server: null, since: 1 };
}
