import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeStatusRequest, MAX_FRAME_BYTES } from '#master/runtime/ping/status-frame.ts';
import { statusPing } from '#master/runtime/ping/status-ping.ts';
import { statusFrame } from '#test/support/players/wire.ts';

const answer = JSON.stringify({
  version: { name: '1.21.4', protocol: 769 },
  players: { max: 20, online: 1 },
  description: { text: 'Hi' },
});

/** A server that does this to each client; closed with all its connections when the test ends. @returns its port */
async function serverThat(serve: (socket: Socket) => void, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function ping(port: number, timeoutMs = 5_000) {
  return statusPing({ host: '127.0.0.1', port, timeoutMs });
}

describe('statusPing', () => {
  it('reads an answer that comes byte by byte', async () => {
    const port = await serverThat((socket) => {
      socket.setNoDelay(true);
      socket.once('data', () => {
        const bytes = [...statusFrame(answer)];
        const next = (): void => {
          const byte = bytes.shift();
          if (byte !== undefined) socket.write(Buffer.from([byte]), () => setImmediate(next));
        };
        next();
      });
    });
    expect(await ping(port)).toEqual({
      kind: 'answer',
      players: { online: 1, max: 20 },
      version: '1.21.4',
      protocol: 769,
      motd: 'Hi',
    });
  });

  it('asks in one piece and hangs up after the answer', async () => {
    const received: Buffer[] = [];
    let ended: Promise<unknown> | undefined;
    const port = await serverThat((socket) => {
      ended = once(socket, 'close');
      socket.on('data', (chunk) => received.push(chunk));
      socket.once('data', () => socket.write(statusFrame(answer)));
    });
    expect((await ping(port)).kind).toBe('answer');
    await ended;
    expect(Buffer.concat(received).subarray(-2).toString('hex')).toBe('0100');
    expect(received).toHaveLength(1);
  });

  it.each([
    { family: 'TCP4', host: '127.0.0.1' },
    { family: 'TCP6', host: '::1' },
  ])('says who asks, if it is to, before all else ($family)', async ({ family, host }) => {
    const received: Buffer[] = [];
    let from = 0;
    const port = await serverThat((socket) => {
      from = socket.remotePort ?? 0;
      socket.on('data', (chunk) => received.push(chunk));
      socket.once('data', () => socket.write(statusFrame(answer)));
    }, host);
    const target = { host, port, timeoutMs: 5_000 };
    expect((await statusPing({ ...target, proxyHeader: true })).kind).toBe('answer');
    const [first = Buffer.alloc(0)] = received;
    const header = `PROXY ${family} ${host} ${host} ${from} ${port}\r\n`;
    expect(first.subarray(0, header.length).toString()).toBe(header);
    expect(first.subarray(header.length)).toEqual(encodeStatusRequest(host, port));
    received.length = 0;
    await statusPing(target);
    expect(received[0]).toEqual(encodeStatusRequest(host, port));
  });

  it('reads the largest answer allowed', async () => {
    const padded = JSON.stringify({ ...JSON.parse(answer), favicon: '' });
    // A frame of exactly the limit: packet id and the text's own length (3 bytes) belong to it.
    const text = padded.replace(
      '"favicon":""',
      `"favicon":"${'x'.repeat(MAX_FRAME_BYTES - padded.length - 4)}"`,
    );
    const port = await serverThat((socket) => socket.once('data', () => socket.write(statusFrame(text))));
    expect((await ping(port)).kind).toBe('answer');
  });

  it.each([
    ['a web server', 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'],
    ['an SSH server', 'SSH-2.0-OpenSSH_9.2p1\r\n'],
    ['another packet', statusFrame(answer, 0x05)],
    ['broken JSON', statusFrame(answer.slice(0, -1))],
    ['a frame of 2 GiB', Buffer.from('ffffffff07', 'hex')],
    ['an empty frame', Buffer.from([0])],
    ['an endless length', Buffer.alloc(64, 0xff)],
  ])('says "not minecraft" of %s', async (_, bytes) => {
    const port = await serverThat((socket) => socket.write(bytes));
    expect(await ping(port)).toEqual({ kind: 'silent', why: 'not minecraft' });
  });

  it('says "no player count" of a server that hides it', async () => {
    const port = await serverThat((socket) =>
      socket.write(statusFrame('{"version":{"name":"1.21","protocol":767},"description":""}')),
    );
    expect(await ping(port)).toEqual({ kind: 'silent', why: 'no player count' });
  });

  it('says "closed" when the server hangs up before or within its answer', async () => {
    const atOnce = await serverThat((socket) => socket.end());
    expect(await ping(atOnce)).toEqual({ kind: 'silent', why: 'closed' });
    const halfWay = await serverThat((socket) =>
      socket.once('data', () => socket.end(statusFrame(answer).subarray(0, 20))),
    );
    expect(await ping(halfWay)).toEqual({ kind: 'silent', why: 'closed' });
    const reset = await serverThat((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await ping(reset)).toEqual({ kind: 'silent', why: 'closed' });
  });

  it('says "refused" where nobody listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    expect(await ping(port)).toEqual({ kind: 'silent', why: 'refused' });
  });

  it('says "timeout" of a server that says nothing, and of one that drips without end', async () => {
    const mute = await serverThat(() => undefined);
    const drip = await serverThat((socket) => {
      socket.write(Buffer.from('80800100', 'hex'));
      const timer = setInterval(() => socket.write('x'), 5);
      socket.on('close', () => clearInterval(timer));
    });
    const startedAt = performance.now();
    expect(await Promise.all([ping(mute, 300), ping(drip, 300)])).toEqual([
      { kind: 'silent', why: 'timeout' },
      { kind: 'silent', why: 'timeout' },
    ]);
    // The time is for all of it: each dripped byte must not start it anew.
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  it('can be asked a hundred times at once', async () => {
    const port = await serverThat((socket) => socket.once('data', () => socket.write(statusFrame(answer))));
    const results = await Promise.all(Array.from({ length: 100 }, () => ping(port)));
    expect(results.filter(({ kind }) => kind === 'answer')).toHaveLength(100);
  });
});
