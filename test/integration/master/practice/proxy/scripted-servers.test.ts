import { deflateSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeVarInt } from '#master/runtime/ping/status-frame.ts';
import { PacketServer, PacketSocket } from '#test/support/players/packet-socket.ts';
import type { PracticeProxy } from '#test/support/players/practice-proxy.ts';
import { useProxyGame } from '#test/support/players/proxy-game.ts';
import { handshakeFrame, loginBytes, packetFrame, textField } from '#test/support/players/wire.ts';
import { waitFor } from '#test/support/wait-for.ts';

// In these tests, servers and clients send each packet exactly when the test needs it.
const game = useProxyGame();

/** Packets of the login. The proxy forwards the content of LOGIN_SUCCESS without reading it. */
const LOGIN_DISCONNECT = packetFrame(0x00, textField('{"text":"too early"}'));
const LOGIN_SUCCESS = packetFrame(0x02, Buffer.alloc(18));
/** Packets of Minecraft 26.1 in the order in which a server sends them after the login. */
const REGISTRY = packetFrame(0x07, Buffer.from('registry'));
const FINISH = packetFrame(0x03);
const JOIN_GAME = packetFrame(0x31, Buffer.from('world'));
/** Packets of a client of Minecraft 26.1. */
const LOGIN = Buffer.concat([
  handshakeFrame(775, 2),
  packetFrame(0x00, textField('Steve'), Buffer.alloc(16)),
]);
const ACKNOWLEDGED = packetFrame(0x03);
const KEEP_ALIVE = 0x04;
const SETTINGS = 0x00;
const PLUGIN_MESSAGE = 0x02;

const ends: { close(): void }[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end.close();
});

async function server(greet?: (connection: PacketSocket) => void): Promise<PacketServer> {
  const started = await PacketServer.start(greet);
  ends.push(started);
  return started;
}

async function client(proxy: PracticeProxy, ...frames: readonly Buffer[]): Promise<PacketSocket> {
  const socket = await PacketSocket.connect(proxy.port);
  ends.push(socket);
  socket.send(...frames);
  return socket;
}

/** Waits until a server has its nth connection, and has received the login on this connection. */
async function connection(of: PacketServer, nth = 1): Promise<PacketSocket> {
  return waitFor(() => {
    const found = of.connections[nth - 1];
    return found !== undefined && found.packets.length >= 2 && found;
  });
}

/** Waits until the proxy has executed all previous commands. */
async function commandsAreDone(proxy: PracticeProxy): Promise<void> {
  const before = proxy.lines.length;
  proxy.command('list');
  await waitFor(() => proxy.lines.slice(before).some((line) => line.includes('players on this proxy')));
}

/** Lets a player with Minecraft 26.1 enter the configuration phase of the first server. */
async function enter(proxy: PracticeProxy, first: PacketServer): Promise<[PacketSocket, PacketSocket]> {
  const steve = await client(proxy, LOGIN);
  const onFirst = await connection(first);
  onFirst.send(LOGIN_SUCCESS);
  await proxy.sees(/Steve .*-> a/);
  steve.send(ACKNOWLEDGED);
  await waitFor(() => onFirst.received(ACKNOWLEDGED.subarray(1)));
  return [steve, onFirst];
}

describe('a player with Minecraft 26.1 on the practice proxy', () => {
  it('is disconnected if the server is lost while it configures the client, even if another server accepts the player', async () => {
    const [a, b] = await Promise.all([server(), server()]);
    const proxy = await game.proxy({ a, b });
    const [steve, onA] = await enter(proxy, a);
    proxy.command('send Steve b');
    const onB = await connection(b);
    onA.send(REGISTRY);
    await waitFor(() => steve.hasRead('registry'));
    onA.close();
    await proxy.sees(/Steve has lost a/);
    onB.send(LOGIN_SUCCESS);
    await waitFor(() => steve.hasRead('a was lost.'));
  });

  it('gets to the server of the last move even if an earlier move is not complete', async () => {
    const [a, b, c] = await Promise.all([server(), server(), server()]);
    const proxy = await game.proxy({ a, b, c });
    const [steve, onA] = await enter(proxy, a);
    onA.send(REGISTRY);
    await waitFor(() => steve.hasRead('registry'));
    proxy.command('send Steve b');
    await commandsAreDone(proxy);
    onA.send(FINISH);
    await waitFor(() => steve.received(FINISH.subarray(1)));
    proxy.command('send Steve c');
    const onC = await connection(c);
    onA.send(JOIN_GAME);
    await waitFor(() => steve.hasRead('world'));
    onC.send(LOGIN_SUCCESS);
    await proxy.sees(/Steve .*-> c/);
    expect(b.connections).toEqual([]);
  });

  it('gets to the server of the last move even if the server of an earlier move accepts the player', async () => {
    const [a, b, c] = await Promise.all([server(), server(), server()]);
    const proxy = await game.proxy({ a, b, c });
    const [steve, onA] = await enter(proxy, a);
    proxy.command('send Steve b');
    const onB = await connection(b);
    onA.send(REGISTRY);
    await waitFor(() => steve.hasRead('registry'));
    proxy.command('send Steve c');
    await commandsAreDone(proxy);
    onB.send(LOGIN_SUCCESS);
    onA.send(FINISH, JOIN_GAME);
    await connection(c);
    expect(b.connections).toHaveLength(1);
  });

  it('gets to the next server if a server refuses the player after it has accepted the login', async () => {
    const [a, b] = await Promise.all([
      server((accepted) => {
        accepted.send(LOGIN_SUCCESS, LOGIN_DISCONNECT);
      }),
      server(),
    ]);
    const proxy = await game.proxy({ a, b });
    const steve = await client(proxy, LOGIN);
    const onA = await connection(a);
    await waitFor(() => steve.received(LOGIN_SUCCESS.subarray(1)));
    onA.close();
    await connection(b);
    expect(steve.hasRead('too early')).toBe(false);
  });

  it('sends settings and a brand of the maximum size only to the current server', async () => {
    const [a, b] = await Promise.all([server(), server()]);
    const proxy = await game.proxy({ a, b });
    const [steve, onA] = await enter(proxy, a);
    const settings = packetFrame(SETTINGS, Buffer.alloc(256, 's'));
    const brand = packetFrame(PLUGIN_MESSAGE, textField('minecraft:brand'), Buffer.alloc(32_767, 'b'));
    steve.send(settings, brand);
    await waitFor(() => onA.hasRead('ssss') && onA.hasRead('minecraft:brand'));
    proxy.command('send Steve b');
    const onB = await connection(b);
    onB.send(LOGIN_SUCCESS);
    // The proxy sends a keep-alive to the client. The client's packets after its answer are for the new server.
    const keepAlive = await waitFor(() => steve.packets.find(([id]) => id === KEEP_ALIVE));
    const message = packetFrame(PLUGIN_MESSAGE, textField('test:message'));
    steve.send(packetFrame(KEEP_ALIVE, keepAlive.subarray(1)), message);
    await waitFor(() => onB.hasRead('test:message'));
    expect(onB.packets.slice(2)).toEqual([ACKNOWLEDGED.subarray(1), message.subarray(1)]);
  });

  it('can be kicked with a reason of 8 million characters, which the proxy does not store completely', async () => {
    const text = Buffer.alloc(65_000, 'x');
    const element = Buffer.concat([Buffer.of(text.length >> 8, text.length & 0xff), text]);
    // NBT: a list (9) of 125 strings (8).
    const head = Buffer.of(9, 8, 0, 0, 0, 125);
    const kick = Buffer.concat([Buffer.of(0x02), head, ...Array.from({ length: 125 }, () => element)]);
    const packed = Buffer.concat([encodeVarInt(kick.length), deflateSync(kick)]);
    const a = await server((accepted) => {
      accepted.send(
        packetFrame(0x03, encodeVarInt(256)),
        packetFrame(0x00, LOGIN_SUCCESS.subarray(1)),
        Buffer.concat([encodeVarInt(packed.length), packed]),
      );
    });
    const proxy = await game.proxy({ a }, { jvmArguments: ['-Xmx32m', '-XX:+UseSerialGC'] });
    const steve = await client(proxy, LOGIN);
    await waitFor(() => steve.hasRead('xxxx'));
    const line = await proxy.sees(/Steve was kicked from a: x/);
    expect(line.length).toBeLessThan(1_200);
    expect(proxy.lines.filter((text) => /OutOfMemory|ERROR/.test(text))).toEqual([]);
  });
});

describe('a player with Minecraft 1.8 on the practice proxy', () => {
  it('gets to the next server if a server accepts the player but never sends the world', async () => {
    const worldOf1_8 = packetFrame(0x01, Buffer.from('world'));
    const keepAlive = packetFrame(0x00, Buffer.of(1));
    const a = await server((accepted) => {
      accepted.send(LOGIN_SUCCESS, worldOf1_8);
    });
    const b = await server((accepted) => {
      accepted.send(LOGIN_SUCCESS);
      const timer = setInterval(() => accepted.send(keepAlive), 100);
      ends.push({ close: () => clearInterval(timer) });
    });
    const proxy = await game.proxy({ a, b }, { timeoutMs: 1_500 });
    const steve = await client(proxy, loginBytes('Steve'));
    await waitFor(() => steve.hasRead('world'));
    (await connection(a)).close();
    await connection(b);
    await connection(a, 2);
  });
});
