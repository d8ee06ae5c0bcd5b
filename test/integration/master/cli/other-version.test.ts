import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  createMessageConnection,
  ErrorCodes,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { VERSION } from '#shared/version.ts';
import { localSocketPath } from '#master/admin/local-socket.ts';
import { withMaster } from '#master/cli/client.ts';
import { isSshReady } from '#master/cli/machine/ssh-ready.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Serves the local socket of a data folder like a master of another version, which only has the given responses. */
async function serveOtherVersion(results: Readonly<Record<string, unknown>>): Promise<string> {
  const data = join(temporaryFolder(), 'data');
  const path = localSocketPath(data);
  mkdirSync(dirname(path), { recursive: true });
  const server = createServer((socket) => {
    const rpc = createMessageConnection(new StreamMessageReader(socket), new StreamMessageWriter(socket));
    rpc.onRequest((method) => {
      if (method in results) return results[method];
      const error = new OverworldError('METHOD_UNKNOWN', { method });
      return new ResponseError(ErrorCodes.MethodNotFound, error.message, toWire(error));
    });
    rpc.onError(() => undefined);
    rpc.listen();
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return data;
}

const info = { version: '7.7.7', apiVersion: 99, anything: 'else' };

it('a command can read the answers of a newer master, and ignores unknown fields and reasons', async () => {
  const data = await serveOtherVersion({
    'nodes.provider': { trouble: null, since: 5 },
    'plan.noOrder': { reason: 'MOON_FULL', message: 'The moon is full.', until: null },
  });
  await withMaster(data, async (master) => {
    expect(await master.call('nodes.provider', {})).toEqual({ trouble: null });
    expect(await master.call('plan.noOrder', {})).toMatchObject({
      reason: 'OTHER',
      message: 'The moon is full.',
    });
  });
});

it.each([
  ['an older master (which always serves SSH)', {}, true],
  ['a master with a working SSH service', { sshReady: true }, true],
  ['a master without a working SSH service', { sshReady: false }, false],
])('a command finds out whether SSH is served by %s', async (_, ssh, isReady) => {
  const readiness = { version: '7.7.7', hasSynced: true, observed: [], unobserved: [] };
  const knowsRequest = 'sshReady' in ssh ? { 'master.readiness': { ...readiness, ...ssh } } : {};
  const data = await serveOtherVersion({ 'master.info': info, ...knowsRequest });
  expect(await withMaster(data, isSshReady)).toBe(isReady);
});

it.each([
  ['does not support the request', {}],
  ['answers in a form that the command cannot read', { 'players.list': { players: 'many' } }],
])('a command names its own version and the version of the master if the master %s', async (_, results) => {
  const data = await serveOtherVersion({ 'master.info': info, ...results });
  await expect(withMaster(data, (master) => master.call('players.list', {}))).rejects.toMatchObject({
    code: 'MASTER_VERSION_MISMATCH',
    details: { method: 'players.list', theirs: '7.7.7', ours: VERSION },
  });
});

it('a command stops reading an answer of the master after 8 MB', async () => {
  const data = join(temporaryFolder(), 'data');
  const path = localSocketPath(data);
  mkdirSync(dirname(path), { recursive: true });
  let written = 0;
  const server = createServer((socket) => {
    const chunk = Buffer.alloc(65_536, ' ');
    // Sends data until the client closes the connection.
    const flood = (): void => {
      while (socket.writable && socket.write(chunk)) written += chunk.length;
    };
    socket.on('drain', flood).on('error', () => undefined);
    socket.once('data', () => {
      socket.write('Content-Length: 4000000000\r\n\r\n');
      flood();
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  await expect(withMaster(data, (master) => master.call('nodes.list', {}))).rejects.toMatchObject({
    code: 'MASTER_CONNECTION_FAILED',
  });
  expect(written).toBeLessThan(8 * 1_048_576);
});
