import { createServer, type AddressInfo } from 'node:net';
import { onTestFinished, describe, expect, it } from 'vitest';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { linkSchema, type Link } from '#shared/ipc/contract.ts';
import { API_VERSION } from '#shared/rpc/contract.ts';
import type { Handlers } from '#master/admin/api.ts';
import { MasterLink } from '#main/connections/link.ts';
import type { MasterNotification } from '#main/connections/rpc-client.ts';
import {
  makePerson,
  startAdminMaster,
  type AdminMaster,
  type Person,
} from '#test/support/master/admin-master.ts';
import { toIdentity } from '#test/support/identity.ts';
import { waitFor } from '#test/support/wait-for.ts';

const info: Handlers['master.info'] = (_params, { name, role }) => ({
  version: '0.0.0',
  apiVersion: API_VERSION,
  cluster: 'test',
  hostname: 'test',
  hostKey: 'SHA256:test',
  platform: 'test',
  java: null,
  startedAt: 0,
  you: { name, role, readsFiles: true, templates: null },
});

async function start(handlers: Partial<Handlers> = {}): Promise<{ master: AdminMaster; owner: Person }> {
  const master = await startAdminMaster({ handlers: { 'master.info': info, ...handlers } });
  onTestFinished(() => master.close());
  return { master, owner: await master.authorize('owner') };
}

function openLink(person: Person) {
  const states: Link[] = [];
  const notifications: MasterNotification[] = [];
  const link = new MasterLink({
    subject: { connection: 'test', kind: 'remote', name: 'Test' },
    identity: toIdentity(person),
    onChange: (state) => states.push(linkSchema.parse(state)),
    onNotification: (notification) => notifications.push(notification),
  });
  onTestFinished(() => link.close());
  return { link, states, notifications };
}

const targetOf = (master: AdminMaster, pin: string | null = master.hostKey.fingerprint) => ({
  host: master.server.host,
  port: master.server.port,
  pin,
});

const reach = (link: MasterLink, status: Link['status']) =>
  waitFor(() => link.link.status === status, { what: `the link to be ${status}` });

describe("the app's connection to a master", () => {
  it('connects, calls methods and receives notifications', async () => {
    const { master, owner } = await start();
    const { link, states, notifications } = openLink(owner);
    link.connect(targetOf(master));
    await reach(link, 'connected');
    expect(states.map(({ status }) => status)).toEqual(['connecting', 'connecting', 'connected']);
    expect(link.link).toMatchObject({ generation: 1, hostKey: master.hostKey.fingerprint, error: null });
    expect(await link.call('master.info', {})).toMatchObject({ you: { name: owner.name, role: 'owner' } });
    master.callers[0]?.notify('stale', { topics: ['services'] });
    await waitFor(() => notifications.length > 0);
    expect(notifications).toEqual([{ name: 'stale', params: { topics: ['services'] } }]);
  });

  it("knows how far the master's clock is behind, also after the connection is lost", async () => {
    const behindMs = 600_000;
    const { master, owner } = await start({
      'master.info': async (...call) => ({ ...(await info(...call)), now: Date.now() - behindMs }),
    });
    const { link } = openLink(owner);
    link.connect(targetOf(master));
    await reach(link, 'connected');
    const { clockOffsetMs } = link.link;
    expect(Math.abs(clockOffsetMs + behindMs)).toBeLessThan(60_000);
    link.ssh.destroy();
    await reach(link, 'waiting');
    expect(link.link.clockOffsetMs).toBe(clockOffsetMs);
  });

  it('sends nothing to a master whose host key is unknown, and reports the host key', async () => {
    const { master, owner } = await start();
    const { link } = openLink(owner);
    link.connect(targetOf(master, null));
    await reach(link, 'failed');
    expect(link.link).toMatchObject({
      retryAt: null,
      error: { code: 'HOST_KEY_UNKNOWN', details: { found: master.hostKey.fingerprint } },
    });
    expect(master.callers).toEqual([]);
  });

  it('sends nothing to a master whose host key has changed, and does not try again automatically', async () => {
    const { master, owner } = await start();
    const { link } = openLink(owner);
    link.connect(targetOf(master, 'SHA256:AAAA'));
    await reach(link, 'failed');
    expect(link.link).toMatchObject({
      retryAt: null,
      error: {
        code: 'HOST_KEY_CHANGED',
        details: { expected: 'SHA256:AAAA', found: master.hostKey.fingerprint },
      },
    });
    expect(master.callers).toEqual([]);
  });

  it("reports that the master refuses the app's key, and succeeds later if the key has been authorized", async () => {
    const { master } = await start();
    const stranger = makePerson('stranger');
    const { link } = openLink(stranger);
    link.connect(targetOf(master));
    await reach(link, 'failed');
    expect(link.link.error).toMatchObject({
      code: 'AUTH_REFUSED',
      details: { fingerprint: toIdentity(stranger).fingerprint },
    });
    await master.keys.add({ name: 'stranger', role: 'viewer', publicKey: stranger.publicKey });
    link.retry();
    await reach(link, 'connected');
  });

  it('tries again while nothing listens on the port, until a master listens', async () => {
    const { master, owner } = await start();
    const { port } = master.server;
    await master.server.close();
    const { link } = openLink(owner);
    link.connect(targetOf(master));
    await reach(link, 'waiting');
    expect(link.link.error).toMatchObject({
      code: 'MASTER_UNREACHABLE',
      details: { why: 'nothing is listening on that port' },
    });
    const again = await startAdminMaster({
      handlers: { 'master.info': info },
      ssh: { port, hostKey: master.hostKey },
    });
    onTestFinished(() => again.close());
    await again.keys.add({ name: 'owner', role: 'owner', publicKey: owner.publicKey });
    await reach(link, 'connected');
  });

  it('reports a server that does not speak SSH as unreachable', async () => {
    const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { link } = openLink(makePerson('owner'));
    link.connect({ host: '127.0.0.1', port: (other.address() as AddressInfo).port, pin: null });
    await reach(link, 'waiting');
    expect(link.link.error?.code).toBe('MASTER_UNREACHABLE');
  });

  it('passes on errors of the master with code and details', async () => {
    const { master, owner } = await start();
    const { link } = openLink(owner);
    link.connect(targetOf(master));
    await reach(link, 'connected');
    await expect(link.call('keys.remove', { key: 'nobody' })).rejects.toMatchObject({
      code: 'KEY_NOT_FOUND',
      details: { key: 'nobody' },
    });
    await expect(link.call('services.start', { template: 'NOT AN ID' })).rejects.toMatchObject({
      code: 'PARAMS_INVALID',
    });
  });

  it('rejects a call that gets no answer in time, and can still be used', async () => {
    const { master, owner } = await start({ 'nodes.list': () => new Promise(() => undefined) });
    const { link } = openLink(owner);
    link.connect(targetOf(master));
    await reach(link, 'connected');
    await expect(link.call('nodes.list', {}, 50)).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
    expect(await link.call('keys.list', {})).toHaveLength(1);
  });

  it('reports an answer that violates the contract as an internal error', async () => {
    const broken = (() => [{ id: 1 }]) as unknown as Handlers['nodes.list'];
    const { master, owner } = await start({ 'nodes.list': broken });
    const { link } = openLink(owner);
    link.connect(targetOf(master));
    await reach(link, 'connected');
    await expect(link.call('nodes.list', {})).rejects.toSatisfy((error) => hasCode(error, 'INTERNAL'));
  });

  it('rejects calls in progress when the connection is lost, and reconnects automatically', async () => {
    const { master, owner } = await start({ 'nodes.list': () => new Promise(() => undefined) });
    const { link } = openLink(owner);
    link.connect(targetOf(master));
    await reach(link, 'connected');
    const pending = link.call('nodes.list', {});
    const answered = expect(pending).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
    link.ssh.destroy();
    await answered;
    await reach(link, 'waiting');
    expect(link.link.error?.code).toBe('CONNECTION_LOST');
    await expect(link.call('nodes.list', {})).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
    await reach(link, 'connected');
    expect(link.link.generation).toBe(2);
  });

  it('fails when the key of the app is removed on the master', async () => {
    const { master } = await start();
    const viewer = await master.authorize('viewer');
    const { link } = openLink(viewer);
    link.connect(targetOf(master));
    await reach(link, 'connected');
    await master.keys.remove(viewer.name);
    await reach(link, 'failed');
    expect(link.link.error?.code).toBe('AUTH_REFUSED');
  });

  it('does not change its state after it was closed', async () => {
    const { master, owner } = await start();
    const { link, states } = openLink(owner);
    link.connect(targetOf(master));
    link.close();
    const seen = states.length;
    link.connect(targetOf(master));
    link.retry();
    await expect(link.call('master.info', {})).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
    expect(states).toHaveLength(seen);
  });
});
