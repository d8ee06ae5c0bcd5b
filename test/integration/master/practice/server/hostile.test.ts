import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeVarInt } from '#master/runtime/ping/status-frame.ts';
import { statusPing } from '#master/runtime/ping/status-ping.ts';
import { usePracticeGame } from '#test/support/players/practice-game.ts';
import type { PracticeServer } from '#test/support/players/practice-server.ts';
import { waitFor } from '#test/support/wait-for.ts';
import {
  handshakeFrame,
  loginBytes,
  loginBytesOf26_1,
  packetFrame,
  textField,
} from '#test/support/players/wire.ts';

const { start, join } = usePracticeGame();
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function connectTo(server: PracticeServer): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

interface Exchange {
  /** All bytes that the server has sent. */
  readonly answer: Buffer;
  /** Whether the connection was reset instead of closed normally. */
  readonly reset: boolean;
}

/** Sends only these bytes, and reads until the server has closed the connection. */
async function exchange(server: PracticeServer, bytes: Uint8Array): Promise<Exchange> {
  const socket = await connectTo(server);
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  const closed = once(socket, 'close');
  socket.end(bytes);
  const [reset] = (await closed) as [boolean];
  return { answer: Buffer.concat(received), reset };
}

async function expectAnswer(server: PracticeServer): Promise<void> {
  expect(await statusPing({ host: '127.0.0.1', port: server.port, timeoutMs: 5_000 })).toMatchObject({
    kind: 'answer',
  });
}

const bytes = fc.uint8Array({ maxLength: 600 });
const frame = fc
  .tuple(fc.integer({ min: 0, max: 0x45 }), bytes)
  .map(([id, body]) => packetFrame(id, Buffer.from(body)));
const state = fc.integer({ min: -1, max: 4 });
const protocol = fc.oneof(fc.constantFrom(47, 340, 775), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }));

/**
 * Packets by which a Minecraft 26.1 client reports that it knows no data packs, and that its configuration is
 * complete.
 */
const CONFIGURED = Buffer.concat([packetFrame(0x07, Buffer.of(0)), packetFrame(0x03)]);

/** Inputs from random bytes to invalid packets of a player who is online. */
const hostileInput = fc.oneof(
  bytes,
  fc.array(frame, { maxLength: 4 }).map((frames) => Buffer.concat(frames)),
  fc.tuple(protocol, state, bytes).map(([p, s, rest]) => Buffer.concat([handshakeFrame(p, s), rest])),
  fc.tuple(protocol, state, frame).map(([p, s, rest]) => Buffer.concat([handshakeFrame(p, s), rest])),
  fc.array(frame, { maxLength: 6 }).map((frames) => Buffer.concat([loginBytes('Fuzz'), ...frames])),
  fc
    .tuple(fc.boolean(), fc.array(frame, { maxLength: 6 }))
    .map(([joins, frames]) =>
      Buffer.concat([loginBytesOf26_1('Fuzz'), ...(joins ? [CONFIGURED] : []), ...frames]),
    ),
  fc.tuple(fc.nat(), bytes).map(([length, rest]) => Buffer.concat([encodeVarInt(length), rest])),
);

describe('the practice server, with hostile clients,', () => {
  it('keeps running and keeps its player connected during 400 hostile inputs', async () => {
    const server = await start();
    const steve = await join(server, { username: 'Steve' });
    await fc.assert(
      fc.asyncProperty(hostileInput, async (input) => {
        await exchange(server, input);
      }),
      { numRuns: 400 },
    );
    await expectAnswer(server);
    steve.chat('still here');
    await waitFor(() => steve.heard.includes('<Steve> still here'));
    expect(server.lines.filter((line) => /Internal error|Exception/.test(line))).toEqual([]);
    await server.sees(/Fuzz left the game/);
    server.command('list');
    await server.sees(/There are 1 of a max of 20 players online: Steve/);
  });

  it.each([
    ['an announced packet of 2 MiB', encodeVarInt(2 ** 21 - 1)],
    ['a length of 4 bytes', Buffer.of(0xff, 0xff, 0xff, 0xff)],
    ['an empty packet', Buffer.of(0)],
    ['a text longer than its packet', packetFrame(0x00, encodeVarInt(47), encodeVarInt(200))],
    [
      'a handshake with trailing data',
      packetFrame(0x00, ...[47, 0].map(encodeVarInt), Buffer.of(0, 0, 1, 9)),
    ],
    ['an unknown next state', handshakeFrame(47, 7)],
    ['a second status request', Buffer.concat([handshakeFrame(47, 1), Buffer.from('010001000100', 'hex')])],
  ])(
    'closes the connection at once after %s',
    async (_, input) => {
      const server = await start();
      const socket = await connectTo(server);
      socket.resume();
      const closed = once(socket, 'end');
      socket.write(input);
      await closed;
      await expectAnswer(server);
      // The time limit of the test is far below 30 s, the time after which the server disconnects a client that does
      // not log in.
    },
    10_000,
  );

  it('sends the reason of a refusal even to a client that keeps sending data', async () => {
    const server = await start();
    const talk = Buffer.concat([handshakeFrame(5, 2), Buffer.alloc(200_000, 1)]);
    const exchanges = await Promise.all(Array.from({ length: 50 }, () => exchange(server, talk)));
    const failed = exchanges.filter(({ answer, reset }) => reset || !answer.includes('Unsupported version'));
    expect(failed).toEqual([]);
  });

  it('reads packets that arrive byte by byte, or several at a time', async () => {
    const server = await start();
    const socket = await connectTo(server);
    socket.setNoDelay(true);
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    const input = Buffer.concat([handshakeFrame(47, 1), Buffer.from('0100', 'hex')]);
    for (const byte of input) {
      socket.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    await waitFor(() => Buffer.concat(received).includes('"protocol":47'));
    const echo = packetFrame(0x01, Buffer.from('0123456789abcdef', 'hex'));
    const { answer } = await exchange(server, Buffer.concat([input, echo]));
    expect(answer.subarray(-echo.length)).toEqual(echo);
  });

  it('disconnects clients that never log in or do not answer keepalives', async () => {
    const server = await start({ properties: { 'practice.timeout-ms': '3000' } });
    const silent = await connectTo(server);
    const silentClosed = once(silent.resume(), 'end');
    const mute = await connectTo(server);
    const received: Buffer[] = [];
    mute.on('data', (chunk) => received.push(chunk));
    const muteClosed = once(mute, 'end');
    mute.write(loginBytes('Mute'));
    await Promise.all([silentClosed, muteClosed]);
    expect(Buffer.concat(received).toString()).toContain('{"text":"Timed out"}');
    await server.sees(/Mute lost connection: Timed out/);
  });

  it('disconnects a Minecraft 26.1 client that does not confirm the login', async () => {
    const server = await start({ properties: { 'practice.timeout-ms': '3000' } });
    const socket = await connectTo(server);
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    const closed = once(socket, 'end');
    const id = Buffer.alloc(16);
    socket.write(Buffer.concat([handshakeFrame(775, 2), packetFrame(0x00, textField('Steve'), id)]));
    await closed;
    const reason = Buffer.from('Took too long to log in');
    // Text component: the type of its NBT tag (8), the length in 2 bytes, and the text.
    const disconnect = packetFrame(0x02, Buffer.of(8, 0, reason.length), reason);
    expect(Buffer.concat(received).subarray(-disconnect.length)).toEqual(disconnect);
  });

  it('disconnects a client that reads nothing, without a delay for other players', async () => {
    const server = await start({ jvmArguments: ['-Xmx32m'] });
    const steve = await join(server, { username: 'Steve' });
    const slow = await connectTo(server);
    slow.pause();
    slow.write(loginBytes('Slow'));
    await server.sees(/Slow joined the game/);
    // The lines exceed the kernel's buffers for a socket that is not read (a few MiB) plus the server's queue (256
    // KiB).
    const line = `say ${'x'.repeat(32_000)}`;
    await waitFor(() => {
      for (let i = 0; i < 20; i++) server.command(line);
      return server.lines.some((text) => text.includes('Slow lost connection: Too slow'));
    });
    steve.chat('and me?');
    await waitFor(() => steve.heard.includes('<Steve> and me?'));
  });

  it('limits the number of open connections, and accepts new connections after others have closed', async () => {
    const server = await start({ properties: { 'max-players': '1' } });
    let closedByServer = 0;
    for (let i = 0; i < 100; i++) {
      const socket = await connectTo(server);
      socket.resume().on('close', () => closedByServer++);
    }
    // The limit is 64 connections, in addition to the connections of players.
    await waitFor(() => closedByServer === 35, { what: 'the connections beyond 65 to be closed' });
    for (const socket of sockets.splice(0)) socket.destroy();
    await waitFor(async () => {
      await expectAnswer(server);
      return true;
    });
  });

  it('serves 20 players who chat, and a hundred pings, with a heap of 32 MiB', async () => {
    const server = await start({ jvmArguments: ['-Xmx32m'] });
    const names = Array.from({ length: 20 }, (_, i) => `Player_${i}`);
    const players = [];
    for (const username of names) players.push(await join(server, { username }));
    await expect(join(server, { username: 'One_more' })).rejects.toThrow('The server is full');
    for (const player of players) player.chat(`I am ${player.username}`);
    for (let i = 0; i < 100; i++) await expectAnswer(server);
    for (const player of players) {
      await waitFor(() => names.every((name) => player.heard.includes(`<${name}> I am ${name}`)));
    }
    expect(server.lines.filter((line) => /OutOfMemory|ERROR|stderr/.test(line))).toEqual([]);
    server.command('stop');
    expect(await Promise.all(players.map((player) => player.kicked))).toEqual(
      names.map(() => 'Server closed'),
    );
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });
});
