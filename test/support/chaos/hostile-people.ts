import { randomUUID } from 'node:crypto';
import { connect as connectSocket, type Socket } from 'node:net';
import { connect as connectByTls } from 'node:tls';
import fc from 'fast-check';
import ssh2 from 'ssh2';
import { expect } from 'vitest';
import type { PluginMessage } from '#shared/link/messages.ts';
import { hostileText } from '../fuzz/hostile-text.ts';
import { LinkClient } from '../link/link-client.ts';
import { waitFor } from '../wait-for.ts';
import { SEED, type Chance } from './chance.ts';
import { LINK_PORT, type ChaosNetwork } from './chaos-network.ts';
import { repeat, type Fault } from './faults.ts';

/**
 * Source addresses of attackers. They are separate, so that the limits per address do not slow down honest people.
 */
const ROGUE = '127.0.0.7';
const STRANGER = '127.0.0.66';

const STRANGERS = 32;

/** Maximum time of an owner's login while strangers attack (ms). On an idle machine, a login takes 2 s. */
const LOGIN_WITHIN_MS = 15_000;

/** Messages of an honest proxy, which the attacker changes. */
const SAMPLES = [
  `{"type":"joined","beyond":false,"player":{"uuid":"${randomUUID()}","name":"A","server":null,"since":1}}`,
  '{"type":"allowance","seq":1,"allowance":5,"used":0}',
  '{"type":"stop-service","id":1,"service":"lobby-1","by":"Anna"}',
];

/**
 * A proxy with a valid token sends false players, claims players of other proxies, requests to stop services, floods
 * and garbage.
 */
export const hostileProxy: Fault = {
  name: 'a hostile proxy lies, claims players, floods and sends garbage',
  async run(network, moment) {
    const { chance } = moment;
    const handOver = { ...(await network.handOver('rogue-1')), from: ROGUE, platform: 'bungeecord' as const };
    const watchers = await uuidsOf(network);
    const victim = await waitFor(() => network.join('Victim', 'gate-2'), { what: 'the victim to join' });
    const victimId = await waitFor(async () => (await uuidsOf(network)).get('Victim'));
    let sent = 0;
    let client: LinkClient | null = null;
    const texts = fc.sample(hostileText(...SAMPLES), { numRuns: 2_000, seed: SEED });
    await repeat(moment, 20, async () => {
      client ??= await LinkClient.link(handOver).catch(() => null);
      if (client === null) return;
      const messages = Array.from({ length: chance.pick([1, 5, 400]) }, () => falseMessage(chance, watchers));
      for (const message of messages) client.send(message);
      if (chance.integer(0, 9) === 0) client.write(`${chance.pick(texts)}\n`);
      if (chance.integer(0, 99) === 0) client.write('x'.repeat(200_000));
      sent += messages.length;
      if (client.isClosed) client = null;
    });
    // By claiming a player of another proxy, an attacker can disconnect this player, but no other player
    // (docs/security.md#a-proxy-or-a-plugin-in-it).
    const last = await waitFor(() => LinkClient.link(handOver), { what: 'the hostile proxy to connect' });
    last.send({ type: 'players', players: [], done: true });
    last.send({
      type: 'joined',
      beyond: false,
      player: { uuid: victimId, name: 'Victim', server: null, since: 1 },
    });
    await waitFor(() => victim.isGone, { what: 'the claimed player to be disconnected' });
    last.close();
    await waitFor(
      async () => {
        const players = await network.master.call('players.list', {});
        const honest = players.players.filter(({ proxy }) => proxy !== 'rogue-1').map(({ name }) => name);
        expect(honest.sort()).toEqual(network.watchers.map(({ username }) => username).sort());
        return true;
      },
      { what: 'the players of honest proxies to be unchanged' },
    );
    // The attacker may hold all free slots until its service stops (docs/security.md#a-proxy-or-a-plugin-in-it).
    await network.master.call('services.stop', { id: 'rogue-1', kill: true });
    expect(sent).toBeGreaterThan(0);
    return `${sent} false messages`;
  },
};

async function uuidsOf({ master }: ChaosNetwork): Promise<Map<string, string>> {
  const { players } = await master.call('players.list', {});
  return new Map(players.map(({ name, uuid }) => [name, uuid]));
}

/**
 * Returns a valid message with false content. The message does not claim the UUID of another proxy's player as
 * joined.
 */
function falseMessage(chance: Chance, watchers: ReadonlyMap<string, string>): PluginMessage {
  const name = chance.pick([...watchers.keys(), `Ghost${chance.integer(1, 999)}`]);
  const service = chance.pick(['lobby-1', 'lobby-2', 'gate-1', 'big-1', 'none-9']);
  const theirs = chance.pick([...watchers.values(), randomUUID()]);
  const player = { uuid: randomUUID(), name, server: chance.pick([service, null]), since: 1 };
  const count = chance.pick([0, 1, 1_000_000, 2_147_483_647]);
  return chance.pick<PluginMessage>([
    { type: 'joined', beyond: chance.pick([true, false]), player },
    { type: 'players', players: [player], done: chance.pick([true, false]) },
    { type: 'left', uuid: theirs },
    { type: 'switched', uuid: theirs, server: service },
    { type: 'allowance', seq: chance.integer(1, 9), allowance: count, used: count },
    { type: 'more', id: chance.integer(1, 99), wanted: 10_000 },
    { type: 'limit-reached', uuid: theirs, name, admitted: true },
    { type: 'in-use', inUse: true, why: 'x'.repeat(200) },
    { type: 'stop-service', id: chance.integer(1, 99), service, by: name },
    { type: 'count', online: count, max: count },
    { type: 'pong' },
  ]);
}

/** Clients without a key or token connect repeatedly to the SSH port and to the port of the plugin link. */
export const strangers: Fault = {
  name: '32 strangers connect to both ports again and again',
  async run(network, moment) {
    let connections = 0;
    const stranger = (): Promise<number> =>
      repeat(moment, 5, async () => {
        connections += 1;
        await visit(network, moment.chance);
      });
    const crowd = Promise.all(Array.from({ length: STRANGERS }, stranger));
    const startedAt = performance.now();
    (await network.logIn(network.people.owner)).end();
    expect(performance.now() - startedAt, 'time of a login (ms)').toBeLessThan(LOGIN_WITHIN_MS);
    await crowd;
    return `${connections} connections`;
  },
};

/** Connects once as a stranger. Resolves when one side has closed the connection. */
async function visit({ announcement }: ChaosNetwork, chance: Chance): Promise<void> {
  const toSsh = chance.pick([true, false]);
  const port = toSsh ? (announcement?.port ?? 0) : LINK_PORT;
  const socket = connectSocket({ host: '127.0.0.1', port, localAddress: STRANGER });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const timer = setTimeout(() => socket.destroy(), chance.integer(20, 1_500));
  const way = chance.pick(['silent', 'garbage', 'handshake']);
  if (way === 'garbage') socket.write(chance.bytes(2_000));
  else if (way === 'handshake' && toSsh) tryLogin(socket);
  else if (way === 'handshake') tryGreeting(socket, chance);
  await closed;
  clearTimeout(timer);
}

function tryLogin(socket: Socket): void {
  const client = new ssh2.Client();
  client.on('error', () => socket.destroy());
  client.on('ready', () => {
    throw new Error('a stranger could log in');
  });
  client.connect({ sock: socket, username: 'overworld', password: 'overworld' });
}

function tryGreeting(socket: Socket, chance: Chance): void {
  const tls = connectByTls({ socket, rejectUnauthorized: false });
  tls.on('error', () => socket.destroy());
  const about = { platform: 'velocity', software: 'x', plugin: 'x', allowance: 0 };
  const hello = {
    type: 'hello',
    version: 1,
    service: 'gate-1',
    token: chance.bytes(32).toString('hex'),
    ...about,
  };
  tls.write(`${JSON.stringify(hello)}\n`);
}
