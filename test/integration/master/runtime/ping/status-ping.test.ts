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

/**
 * Starts a server that calls `serve` for each client. The server and its connections are closed when the test ends.
 *
 * @returns the server's port
 */
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

describe('statusPing (asks a Minecraft server for its status)', () => {
  it('reads an answer that arrives byte by byte', async () => {
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

  it('sends its request as one packet, and closes the connection after the answer', async () => {
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
  ])('sends a PROXY header first if this is configured ($family)', async ({ family, host }) => {
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

  it('accepts an answer of the maximum size', async () => {
    const padded = JSON.stringify({ ...JSON.parse(answer), favicon: '' });
    // The frame has exactly the maximum size, including the packet ID and the text's length (3 bytes).
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
  ])('reports "not minecraft" for %s', async (_, bytes) => {
    const port = await serverThat((socket) => socket.write(bytes));
    expect(await ping(port)).toEqual({ kind: 'silent', why: 'not minecraft' });
  });

  it('reports "no player count" for a server that hides it', async () => {
    const port = await serverThat((socket) =>
      socket.write(statusFrame('{"version":{"name":"1.21","protocol":767},"description":""}')),
    );
    expect(await ping(port)).toEqual({ kind: 'silent', why: 'no player count' });
  });

  it('reports "closed" if the server closes the connection before or during its answer', async () => {
    const atOnce = await serverThat((socket) => socket.end());
    expect(await ping(atOnce)).toEqual({ kind: 'silent', why: 'closed' });
    const halfWay = await serverThat((socket) =>
      socket.once('data', () => socket.end(statusFrame(answer).subarray(0, 20))),
    );
    expect(await ping(halfWay)).toEqual({ kind: 'silent', why: 'closed' });
    const reset = await serverThat((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await ping(reset)).toEqual({ kind: 'silent', why: 'closed' });
  });

  it('reports "refused" if nothing listens on the port', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    expect(await ping(port)).toEqual({ kind: 'silent', why: 'refused' });
  });

  it('reports "timeout" for a server that sends nothing, or an endless number of single bytes', async () => {
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
    // The time limit applies to the whole answer, so received bytes do not restart it.
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  it('can run a hundred times at the same time', async () => {
    const port = await serverThat((socket) => socket.once('data', () => socket.write(statusFrame(answer))));
    const results = await Promise.all(Array.from({ length: 100 }, () => ping(port)));
    expect(results.filter(({ kind }) => kind === 'answer')).toHaveLength(100);
  });
});
