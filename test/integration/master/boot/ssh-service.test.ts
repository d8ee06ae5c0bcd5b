import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Client } from 'ssh2';
import { expect, it, onTestFinished } from 'vitest';
import { call, openSftp } from '#test/support/files/sftp.ts';
import { connect, makePerson, openRpc, type Person } from '#test/support/master/admin-master.ts';
import { MasterProcess, type Announcement } from '#test/support/master/master-process.ts';
import { SshServiceProcess } from '#test/support/master/ssh-service-process.ts';
import { runs, timeoutForRounds } from '#test/support/fuzz/runs.ts';
import { hostileSession } from '#test/support/fuzz/sftp/malformed-packets.ts';
import { answersTo } from '#test/support/fuzz/targets/sftp-malformed.ts';
import { send, strangeBytes } from '#test/support/fuzz/targets/ssh-port.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

interface Placed {
  readonly master: MasterProcess;
  readonly announced: Announcement;
  readonly service: SshServiceProcess;
  readonly owner: Person;
  readonly logIn: (person: Person) => Promise<Client>;
}

/**
 * Starts a master whose SSH and files run in a separate process. @param options additional arguments of the master
 */
async function start(...options: readonly string[]): Promise<Placed> {
  const data = join(temporaryFolder(), 'data');
  const service = await SshServiceProcess.start(temporaryFolder());
  const owner = makePerson('anna');
  const ports = { from: 27_310, to: 27_319 };
  const args = ['--ssh-service', service.socket, '--owner-key', owner.publicKey, ...options];
  const master = new MasterProcess(data, ports, args);
  onTestFinished(async () => {
    await master.shutDown();
    await service.close();
  });
  const announced: Announcement = await master.start();
  const place = { server: announced, hostKey: { fingerprint: announced.hostKey } };
  const logIn = async (person: Person): Promise<Client> => {
    const client = await connect(place, person);
    onTestFinished(() => void client.end());
    return client;
  };
  return { master, announced, service, owner, logIn };
}

it('the master serves the API and files through the SSH service, which it starts again after a kill', async () => {
  const { master, service, owner, logIn } = await start();
  const client = await logIn(owner);
  const rpc = await openRpc(client);
  expect(await rpc.sendRequest('master.info', {})).toMatchObject({ version: expect.any(String) as unknown });
  expect(await rpc.sendRequest('sessions.list', {})).toMatchObject([
    { key: 'anna', address: '127.0.0.1', channels: { api: 1, sftp: 0 }, own: true },
  ]);
  const sftp = await openSftp(client);
  await call((done) => sftp.writeFile('/files/kept.txt', 'kept', done));
  expect(await readFile(join(master.data, 'files/kept.txt'), 'utf8')).toBe('kept');
  expect(await rpc.sendRequest('files.search', SEARCH)).toMatchObject({
    hits: [{ path: '/files/kept.txt' }],
  });

  const [pid, ended] = [service.pid, closed(client)];
  service.kill();
  await ended;
  const next = await waitFor(() => logIn(owner).catch(() => null), {
    what: 'a login at the next SSH service',
  });
  expect(service.pid).not.toBe(pid);
  expect(master.alive).toBe(true);
  expect(await master.call('master.readiness', {})).toMatchObject({ sshReady: true });
  const again = await openRpc(next);
  expect(await again.sendRequest('sessions.list', {})).toHaveLength(1);
  expect(await again.sendRequest('files.search', SEARCH)).toMatchObject({
    hits: [{ path: '/files/kept.txt' }],
  });
});

it('the master runs without SSH while its port is in use, and serves SSH once the port is free', async () => {
  const other = createServer().listen({ host: '127.0.0.1', port: 0 });
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { master, owner, logIn } = await start('--ssh-port', String(port));
  const isReady = async (): Promise<boolean> => (await master.call('master.readiness', {})).sshReady;
  expect(await isReady()).toBe(false);
  await waitFor(() => master.log.includes('LISTEN_FAILED'), { what: 'the error in the log' });
  await new Promise((resolve) => other.close(resolve));
  await waitFor(isReady, { what: 'the SSH server' });
  await logIn(owner);
});

it("the master confirms the removal of a key only after the key's sessions have ended", async () => {
  const { master, logIn } = await start();
  const ben = makePerson('ben');
  await master.call('keys.add', { name: 'ben', role: 'files', publicKey: ben.publicKey });
  const client = await logIn(ben);
  const sftp = await openSftp(client);
  const handle = await call<Buffer>((done) => sftp.open('/files/open.txt', 'w', done));
  await call((done) => sftp.write(handle, Buffer.from('before'), 0, 6, 0, done));
  const ended = closed(client);
  await master.call('keys.remove', { key: 'ben' });
  sftp.write(handle, Buffer.from('behind'), 0, 6, 0, () => undefined);
  await ended;
  expect(await readFile(join(master.data, 'files/open.txt'), 'utf8')).toBe('before');
  await expect(logIn(ben)).rejects.toThrow();
});

it('the master confirms a change of the configuration only after the SSH service has applied it', async () => {
  const { master, logIn } = await start();
  const eve = makePerson('eve');
  await master.call('keys.add', { name: 'eve', role: 'viewer', publicKey: eve.publicKey });
  await mkdir(join(master.data, 'templates/lobby'), { recursive: true });
  await writeFile(join(master.data, 'templates/lobby/motd.txt'), 'hello');
  const sftp = await openSftp(await logIn(eve));
  const read = (): Promise<Buffer> =>
    call<Buffer>((done) => sftp.readFile('/templates/lobby/motd.txt', done));
  const allow = async (isAllowed: boolean): Promise<void> => {
    const { config, configRevision } = await master.call('config.get', {});
    const access = { ...config.access, viewers_read_files: isAllowed };
    await master.call('config.update', { config: { ...config, access }, basedOn: configRevision });
  };
  for (const isAllowed of [true, false, true, false]) {
    await allow(isAllowed);
    const outcome = await read().then(String, () => 'refused');
    expect(outcome).toBe(isAllowed ? 'hello' : 'refused');
  }
});

const numRuns = runs({ change: 60, night: 5_000 });
const timeout = timeoutForRounds(2 * numRuns);

it(
  'the SSH service survives invalid data from unknown clients, and malformed packets from a known client',
  timeout,
  async () => {
    const { master, announced, service, owner, logIn } = await start();
    const { pid } = service;
    let last = 0;
    const strangers = fc.asyncProperty(strangeBytes, async (bytes) => {
      last += 1;
      // Connect each time from a different address, because of the limit per address.
      await send(bytes, { ...announced, localAddress: `127.9.${(last >> 8) & 255}.${last & 255}` });
      expect(service.pid).toBe(pid);
    });
    await fc.assert(strangers, { numRuns });

    await mkdir(join(master.data, 'templates/lobby/folder'), { recursive: true });
    await writeFile(join(master.data, 'templates/lobby/a'), 'content');
    const client = await logIn(owner);
    const packets = fc.asyncProperty(hostileSession, async ({ bytes }) => {
      await answersTo(client, bytes);
      expect(service.pid).toBe(pid);
    });
    await fc.assert(packets, { numRuns });
    expect(await (await openRpc(client)).sendRequest('sessions.list', {})).toHaveLength(1);
  },
);

const SEARCH = {
  ...{ folder: '/files', name: 'kept', text: null, caseSensitive: false, limit: 10 },
  task: '2f1c1f5e-3f0a-4d57-9d1b-6a7f3b0f6f10',
};

function closed(client: Client): Promise<void> {
  return new Promise((resolve) => client.once('close', () => resolve()));
}
