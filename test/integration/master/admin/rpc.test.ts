import { PassThrough, type Duplex } from 'node:stream';
import { connect as connectSocket } from 'node:net';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_MESSAGE_BYTES, RPC_SUBSYSTEM } from '#shared/rpc/contract.ts';
import type { Handlers } from '#master/admin/api.ts';
import { serveRpc } from '#master/admin/rpc/serve-rpc.ts';
import type { AuthorizedKey } from '#shared/model/access/role.ts';
import {
  connect,
  openRpc,
  openSubsystem,
  speakRpc,
  startAdminMaster,
  type AdminMaster,
  type Person,
} from '#test/support/master/admin-master.ts';
import { waitFor } from '#test/support/wait-for.ts';

let master: AdminMaster;
let owner: Person;
let viewer: Person;
/** Highest number of requests that were processed at the same time. */
let peak = 0;
let running = 0;
let answered = 0;
/**
 * Lets the blocked requests finish. It is called some turns of the event loop after the limit is reached. During
 * these turns, requests beyond the limit would have started.
 */
let openGate: () => void = () => undefined;
let gate = Promise.resolve();

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

beforeAll(async () => {
  master = await startAdminMaster({
    handlers: {
      'services.list': async () => {
        running += 1;
        peak = Math.max(peak, running);
        if (running === 64) void turns(50).then(openGate);
        await gate;
        running -= 1;
        answered += 1;
        return { revision: 1, complete: true, services: [], removed: [], network: { players: 0, limit: 1 } };
      },
      'nodes.list': () => {
        throw new TypeError('the secret is 42');
      },
      'services.failureLog': () => ['x'.repeat(MAX_MESSAGE_BYTES)],
    },
  });
  owner = await master.authorize('owner');
  viewer = await master.authorize('viewer');
});
afterAll(async () => {
  await master.close();
});

/** Resolves when the master has closed the stream. */
function closed(stream: Duplex): Promise<boolean> {
  stream.resume();
  return new Promise((resolve) => stream.on('close', () => resolve(true)));
}

describe('the admin API over SSH', () => {
  it('returns results, and errors with code and details', async () => {
    const client = await connect(master, owner);
    const rpc = await openRpc(client);
    const keys = await rpc.sendRequest<AuthorizedKey[]>('keys.list', {});
    expect(keys.map(({ name }) => name)).toEqual([owner.name, viewer.name]);
    await expect(rpc.sendRequest('no.such', {})).rejects.toMatchObject({
      code: -32601,
      data: { code: 'METHOD_UNKNOWN', details: { method: 'no.such' } },
    });
    await expect(rpc.sendRequest('keys.remove', { kay: 'x' })).rejects.toMatchObject({
      code: -32602,
      data: { code: 'PARAMS_INVALID' },
    });
    client.end();
  });

  it('refuses methods that the role of the key does not permit', async () => {
    const client = await connect(master, viewer);
    const rpc = await openRpc(client);
    await expect(rpc.sendRequest('keys.list', {})).rejects.toMatchObject({
      data: { code: 'FORBIDDEN', details: { role: 'viewer', needs: 'owner' } },
    });
    client.end();
  });

  it('reports an exception in a handler without the stack trace', async () => {
    const client = await connect(master, owner);
    const rpc = await openRpc(client);
    const error: unknown = await rpc.sendRequest('nodes.list', {}).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ data: { code: 'INTERNAL' } });
    expect(JSON.stringify((error as { data: unknown }).data)).not.toContain('.ts:');
    client.end();
  });

  it('returns an error instead of an answer that is too large, and can still be used', async () => {
    const client = await connect(master, owner);
    const rpc = await openRpc(client);
    await expect(rpc.sendRequest('services.failureLog', { id: 'lobby-1' })).rejects.toMatchObject({
      data: { code: 'INTERNAL' },
    });
    await expect(rpc.sendRequest('keys.list', {})).resolves.toHaveLength(2);
    client.end();
  });

  it('answers 1,000 simultaneous requests of a connection, but only 64 of them at a time', async () => {
    const client = await connect(master, viewer);
    const rpc = await openRpc(client);
    answered = 0;
    gate = new Promise((resolve) => (openGate = resolve));
    await Promise.all(Array.from({ length: 1000 }, () => rpc.sendRequest('services.list', {})));
    expect(answered).toBe(1000);
    expect(peak).toBe(64);
    client.end();
  });

  it('notifies handlers when the connection of the client closes', async () => {
    const client = await connect(master, viewer);
    await openRpc(client);
    const caller = master.callers.at(-1);
    let ended = false;
    caller?.onClose(() => (ended = true));
    client.end();
    await waitFor(() => ended);
    let late = false;
    caller?.onClose(() => (late = true));
    expect(late).toBe(true);
  });

  it('closes the connection of a client that does not read notifications', async () => {
    const client = await connect(master, viewer);
    const channel = await openSubsystem(client, RPC_SUBSYSTEM);
    channel.pause();
    const caller = master.callers.at(-1);
    let ended = false;
    caller?.onClose(() => (ended = true));
    const lines = [{ seq: 0, text: 'x'.repeat(1_000_000) }];
    for (let sent = 0; sent < 40; sent += 1) {
      caller?.notify('service.log', { id: 'lobby-1', lines, ended: false });
    }
    await waitFor(() => ended);
    client.end();
  });
});

describe('the admin API with invalid input', () => {
  const hostile: { readonly name: string; readonly bytes: string | Buffer }[] = [
    { name: 'a length that is too large', bytes: `Content-Length: ${MAX_MESSAGE_BYTES + 1}\r\n\r\n` },
    { name: 'a length of 10 GB', bytes: 'Content-Length: 9999999999\r\n\r\n' },
    { name: 'a length of 20 digits', bytes: 'Content-Length: 99999999999999999999\r\n\r\n' },
    { name: 'a negative length', bytes: 'Content-Length: -1\r\n\r\n' },
    { name: 'a length of zero', bytes: 'Content-Length: 0\r\n\r\n' },
    { name: 'two lengths', bytes: 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}' },
    { name: 'no length', bytes: 'Content-Type: application/json\r\n\r\n{}' },
    { name: 'a header without an end', bytes: 'X: '.padEnd(2000, 'x') },
    { name: 'random bytes', bytes: Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 197) % 256)) },
    { name: 'broken JSON', bytes: 'Content-Length: 3\r\n\r\n{a}' },
    { name: 'bytes that are not UTF-8', bytes: Buffer.from('Content-Length: 3\r\n\r\n"\xff"', 'latin1') },
    { name: 'null', bytes: 'Content-Length: 4\r\n\r\nnull' },
    {
      name: 'the same id twice at the same time',
      bytes: '{"jsonrpc":"2.0","id":1,"method":"services.list"}'
        .replace(/^.*$/, (body) => `Content-Length: ${body.length}\r\n\r\n${body}`)
        .repeat(2),
    },
  ];
  it.each(hostile)('closes the channel, but not the connection, after $name', async ({ bytes }) => {
    const client = await connect(master, viewer);
    const channel = await openSubsystem(client, RPC_SUBSYSTEM);
    const end = closed(channel);
    channel.write(bytes);
    await end;
    // The connection itself still works.
    const rpc = await openRpc(client);
    await expect(rpc.sendRequest('services.list', {})).resolves.toMatchObject({ complete: true });
    client.end();
  });

  it('ignores notifications and unexpected answers of a client', async () => {
    const client = await connect(master, viewer);
    const channel = await openSubsystem(client, RPC_SUBSYSTEM);
    for (const body of [
      '{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}',
      '[]',
      '{}',
      '{"id":7,"result":1}',
    ]) {
      channel.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
    }
    await expect(speakRpc(channel).sendRequest('services.list', {})).resolves.toMatchObject({
      complete: true,
    });
    client.end();
  });
});

describe('the SSH port', () => {
  it('can still be used after a client has sent garbage instead of a handshake', async () => {
    const { host, port } = master.server;
    for (const bytes of [
      'GET / HTTP/1.1\r\n\r\n',
      'SSH-2.0-x\r\n' + '\xff'.repeat(5000),
      '\0'.repeat(100_000),
    ]) {
      const socket = connectSocket(port, host);
      socket.on('error', () => undefined);
      socket.end(Buffer.from(bytes, 'latin1'));
      expect(await closed(socket)).toBe(true);
    }
    const client = await connect(master, owner);
    const rpc = await openRpc(client);
    await expect(rpc.sendRequest('services.list', {})).resolves.toMatchObject({ complete: true });
    client.end();
  });
});

describe('an error of a client that disconnects during an operation', () => {
  it.each([
    ['EPIPE', 'debug'],
    ['ECONNRESET', 'debug'],
    ['EIO', 'warn'],
  ])(
    'with the code %s is logged at level %s (at level debug, the stack trace is omitted)',
    async (code, level) => {
      const lines: { readonly level: number; readonly msg: string; readonly err?: unknown }[] = [];
      const log = pino(
        { level: 'trace' },
        { write: (line: string) => void lines.push(JSON.parse(line) as never) },
      );
      const stream = new PassThrough();
      const closed = new Promise<void>((resolve) =>
        serveRpc(
          stream,
          { name: 'anna', role: 'viewer', templates: null },
          { handlers: {} as Handlers, log },
        ).onClose(resolve),
      );
      stream.destroy(Object.assign(new Error(`write ${code}`), { code }));
      await closed;
      const [line] = lines.filter(({ msg }) => msg.includes('admin API'));
      expect(line?.level).toBe(log.levels.values[level]);
      expect(line?.err === undefined).toBe(level === 'debug');
    },
  );
});
