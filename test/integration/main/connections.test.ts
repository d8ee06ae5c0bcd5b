import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { startByteRelay } from '#test/support/byte-relay.ts';
import { makePerson } from '#test/support/master/admin-master.ts';
import { toIdentity } from '#test/support/identity.ts';
import { MasterProcess, type Announcement } from '#test/support/master/master-process.ts';
import { silentProxy } from '#test/support/link/silent-proxy.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { openConnections } from '#test/support/app/open-connections.ts';

const me = makePerson('me');
const identity = toIdentity(me);

/** Real master in its own process. The key of the app is an owner. */
interface Running {
  readonly master: MasterProcess;
  announced: Announcement;
}
let berlin: Running;
let paris: Running;
const folders: string[] = [];

async function run(ports: { from: number; to: number }): Promise<Running> {
  const data = await mkdtemp(join(tmpdir(), 'overworld-connections-'));
  folders.push(data);
  const master = new MasterProcess(data, ports, ['--owner-key', me.publicKey.trim()]);
  return { master, announced: await master.start() };
}

beforeAll(async () => {
  [berlin, paris] = [await run({ from: 26_600, to: 26_609 }), await run({ from: 26_610, to: 26_619 })];
});
afterAll(async () => {
  for (const { master } of [berlin, paris]) await master.terminate();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

function draftOf({ announced: { host, port } }: Running) {
  return { name: 'A master', host, port };
}

const openApp = (path?: string) => openConnections(identity, path);

describe("the app's connections to real masters", () => {
  it('ask the user to compare an unknown host key, and connect after the user has trusted the key', async () => {
    const app = await openApp();
    const { id } = await app.add('Berlin', berlin.announced);
    await app.connections.use(id);
    await app.reach('failed');
    expect(app.link.link).toMatchObject({
      ...{ connection: id, kind: 'remote', name: 'Berlin', retryAt: null },
      error: { code: 'HOST_KEY_UNKNOWN', details: { found: berlin.announced.hostKey } },
    });
    expect(app.said.embedded).toEqual(['enter', 'leave']);
    await app.connections.trust(id, berlin.announced.hostKey);
    await app.reach('connected');
    expect(await app.link.call('master.info', {})).toMatchObject({
      hostKey: berlin.announced.hostKey,
      you: { role: 'owner' },
    });
    await waitFor(() => app.connections.list()[1]?.lastConnectedAt !== null);
    app.link.close();

    const again = await openApp(app.path);
    await again.reach('connected');
    expect(again.link.link).toMatchObject({ connection: id, name: 'Berlin' });
    expect(again.said.embedded).toEqual([]);
  });

  it('send nothing to a master whose host key has changed, and show the old and the new key', async () => {
    const app = await openApp();
    const { id } = await app.add('Berlin', berlin.announced);
    await app.pin(id, paris.announced.hostKey);
    await app.connections.use(id);
    await app.reach('failed');
    expect(app.link.link.error).toMatchObject({
      code: 'HOST_KEY_CHANGED',
      details: { expected: paris.announced.hostKey, found: berlin.announced.hostKey },
    });
    app.link.retry();
    await app.reach('failed');
    const before = app.said.switches;
    await app.connections.trust(id, berlin.announced.hostKey, 'Berlin');
    await app.reach('connected');
    expect(app.said.switches, 'another key may be another master: the window begins anew').toBe(before + 1);
  });

  it('are open one at a time, and calls in progress are rejected when the user switches to another master', async () => {
    const app = await openApp();
    const [b, p] = [await app.add('Berlin', berlin.announced), await app.add('Paris', paris.announced)];
    await app.pin(b.id, berlin.announced.hostKey);
    await app.pin(p.id, paris.announced.hostKey);
    await app.connections.use(b.id);
    await app.reach('connected');
    const first = app.link.link;
    const callBerlin = app.link.onThisConnection();
    await expect(callBerlin('master.info', {})).resolves.toMatchObject({ hostKey: berlin.announced.hostKey });
    const late = app.link.call('services.list', {});
    const refused = expect(late).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
    await app.connections.use(p.id);
    await refused;
    await app.reach('connected');
    expect(app.link.link).toMatchObject({ connection: p.id, name: 'Paris' });
    expect(app.link.link.generation).toBeGreaterThan(first.generation);
    expect(app.link.link.run).not.toBe(first.run);
    expect((await app.link.call('master.info', {})).hostKey).toBe(paris.announced.hostKey);
    // Operations that make several calls, such as an export, never continue on the next master.
    await expect(callBerlin('master.info', {})).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
    expect(app.connections.list().filter(({ active }) => active)).toMatchObject([{ id: p.id }]);
    await app.connections.use('embedded');
    expect(app.link.link).toMatchObject({ connection: 'embedded', status: 'starting', hostKey: null });
    expect(app.said.embedded.at(-1)).toBe('enter');
    // No state of the previous master may arrive after the switch.
    expect(app.said.links.at(-1)?.connection).toBe('embedded');
  });

  it('have a counter that grows when another master is selected, so that late requests can be recognised', async () => {
    const app = await openApp();
    const b = await app.add('Berlin', berlin.announced);
    expect(app.connections.choice).toBe(0);
    const used = app.connections.use(b.id);
    expect(app.connections.choice, 'at once: the next request of the old page is already too late').toBe(1);
    await used;
    await app.reach('failed');
    await app.connections.trust(b.id, berlin.announced.hostKey);
    await app.reach('connected');
    await app.connections.save(b.id, { ...draftOf(berlin), name: 'Berlin, east' });
    app.link.retry();
    expect(app.connections.choice, 'first trust, another name, another try: the same master').toBe(1);
    await app.connections.save(b.id, draftOf(paris));
    expect(app.connections.choice, 'another address').toBe(2);
    await app.pin(b.id, berlin.announced.hostKey);
    await app.connections.use('embedded');
    await app.connections.use(b.id);
    await app.reach('failed');
    expect(app.connections.choice).toBe(4);
    await app.connections.trust(b.id, paris.announced.hostKey, 'A master');
    expect(app.connections.choice, 'another key').toBe(5);
    await app.connections.use('embedded');
    const [expected, found] = [berlin.announced.hostKey, paris.announced.hostKey];
    await app.settings.update({ embedded: { hostKey: expected, lastConnectedAt: null } });
    const address = '127.0.0.1:1';
    app.link.refuse(address, new OverworldError('HOST_KEY_CHANGED', { address, expected, found }));
    await app.connections.trust('embedded', found, 'This computer');
    expect(app.connections.choice, 'also of the one that comes with the app').toBe(7);
    expect(app.said.switches, 'and the window begins anew each time').toBe(7);
  });

  it('are reported as possible connections to another master after a change of their address or host key', async () => {
    const app = await openApp();
    const { id } = await app.add('Berlin', berlin.announced);
    await app.pin(id, berlin.announced.hostKey);
    await app.connections.use(id);
    await app.reach('connected');
    await app.connections.save(id, { ...draftOf(berlin), name: 'Berlin, east' });
    expect(app.said.others, 'a name is the same master').toEqual([]);
    await app.connections.save(id, draftOf(paris));
    expect(app.said.others).toEqual([id]);
    await app.connections.use('embedded');
    await app.pin(id, berlin.announced.hostKey);
    await app.connections.test(id, draftOf(paris));
    await app.connections.trust(id, paris.announced.hostKey, 'A master');
    expect(app.said.others, 'also while it is not in use').toEqual([id, id]);
  });

  it('trust a host key only if the master has presented it and the user has confirmed it', async () => {
    const app = await openApp();
    const { id } = await app.add('Berlin', berlin.announced);
    const key = berlin.announced.hostKey;
    const trusted = () => app.connections.list().find((one) => one.id === id)?.hostKey;
    await expect(app.connections.trust(id, key), 'nobody has shown it yet').rejects.toMatchObject({
      code: 'HOST_KEY_NOT_SHOWN',
    });
    await app.connections.use(id);
    await app.reach('failed');
    await expect(app.connections.trust(id, paris.announced.hostKey)).rejects.toMatchObject({
      code: 'HOST_KEY_NOT_SHOWN',
    });
    expect(app.said.asked).toEqual([]);
    app.person.confirms = false;
    expect(await app.connections.trust(id, key)).toBe(false);
    expect(app.said.asked).toEqual([expect.stringMatching(/host key of Berlin/)]);
    expect(app.said.asked[0], 'what main has seen').toContain(
      `127.0.0.1:${berlin.announced.port} shows:\n${key}`,
    );
    expect(trusted()).toBeNull();
    expect(app.link.link.status).toBe('failed');
    app.person.confirms = true;
    expect(await app.connections.trust(id, key)).toBe(true);
    expect(trusted()).toBe(key);
    await app.reach('connected');
  });

  it('trust a changed host key only after the user has typed the name of the connection and confirmed it', async () => {
    const app = await openApp();
    const { id } = await app.add('Berlin', berlin.announced);
    const { hostKey: old } = paris.announced;
    await app.pin(id, old);
    await app.connections.use(id);
    await app.reach('failed');
    for (const typed of [undefined, '', 'Paris', 'berlin']) {
      await expect(app.connections.trust(id, berlin.announced.hostKey, typed)).rejects.toMatchObject({
        code: 'HOST_KEY_NAME_MISSING',
      });
    }
    expect(app.said.asked).toEqual([]);
    app.person.confirms = false;
    expect(await app.connections.trust(id, berlin.announced.hostKey, ' Berlin ')).toBe(false);
    expect(app.said.asked[0]).toContain(`Trusted until now:\n${old}`);
    expect(app.connections.list().find((one) => one.id === id)?.hostKey).toBe(old);
  });

  it('do not trust a confirmed host key if the address was changed during the confirmation', async () => {
    const app = await openApp();
    const { id } = await app.add('Berlin', berlin.announced);
    await app.connections.use(id);
    await app.reach('failed');
    app.person.meanwhile = () => app.connections.save(id, draftOf(paris));
    await expect(app.connections.trust(id, berlin.announced.hostKey)).rejects.toMatchObject({
      code: 'HOST_KEY_NOT_SHOWN',
    });
    expect(app.connections.list().find((one) => one.id === id)).toMatchObject({ hostKey: null });
  });

  it('can be tested before they are opened, and the test returns identity, latency and state of the host key', async () => {
    const app = await openApp();
    const draft = { name: 'Berlin', host: berlin.announced.host, port: berlin.announced.port };
    expect(await app.connections.test(null, draft)).toMatchObject({
      ...{ hostKey: berlin.announced.hostKey, trust: 'unknown', master: null },
    });
    const { id } = await app.connections.save(null, draft);
    await app.pin(id, berlin.announced.hostKey);
    const good = await app.connections.test(id, draft);
    expect(good).toMatchObject({ trust: 'pinned', master: { role: 'owner' } });
    expect(good.ms).toBeGreaterThan(0);
    await app.pin(id, paris.announced.hostKey);
    expect(await app.connections.test(id, draft)).toMatchObject({ trust: 'changed', master: null });
    await expect(app.connections.test(id, { ...draft, port: 1 })).rejects.toMatchObject({
      code: 'MASTER_UNREACHABLE',
    });
    expect(app.link.link.connection, 'a test does not touch the link').toBe('embedded');
  });

  it('fail when the key of the app is removed, and work again when the key is added again', async () => {
    const app = await openApp();
    const { id } = await app.add('Paris', paris.announced);
    await app.pin(id, paris.announced.hostKey);
    await app.connections.use(id);
    await app.reach('connected');
    await paris.master.call('keys.add', {
      name: 'another owner',
      role: 'owner',
      publicKey: makePerson('other').publicKey,
    });
    const mine = (await paris.master.call('keys.list', {})).find(
      ({ fingerprint }) => fingerprint === identity.fingerprint,
    );
    await paris.master.call('keys.remove', { key: mine?.fingerprint ?? '' });
    await app.reach('failed');
    expect(app.link.link.error).toMatchObject({
      code: 'AUTH_REFUSED',
      details: { fingerprint: identity.fingerprint },
    });
    await expect(
      app.connections.test(id, { name: 'Paris', host: paris.announced.host, port: paris.announced.port }),
    ).rejects.toMatchObject({ code: 'AUTH_REFUSED' });
    await paris.master.call('keys.add', { name: 'me again', role: 'owner', publicKey: me.publicKey });
    app.link.retry();
    await app.reach('connected');
  });

  it('trust a host key without a question if the app has read the key on the server itself', async () => {
    const app = await openApp();
    const { name, host, port } = draftOf(berlin);
    const server = {
      ...{ host, port: 22, user: 'root', login: { kind: 'agent' as const } },
      hostKey: { type: 'ssh-ed25519', fingerprint: 'SHA256:s' },
    };
    const id = await app.connections.adopt({
      draft: { name, host, port },
      ...{ hostKey: berlin.announced.hostKey, server },
    });
    await app.connections.use(id);
    await app.reach('connected');
    expect(app.said.asked).toEqual([]);
    expect(app.settings.data.connections[0]?.server).toEqual(server);
    const before = app.said.others.length;

    // The same address with another key may belong to another master. Transfers must not start on it without a
    // person's request.
    await app.pin(id, 'SHA256:another');
    const adopted = { draft: { name: 'Other', host, port }, hostKey: berlin.announced.hostKey, server };
    expect(await app.connections.adopt(adopted)).toBe(id);
    await app.reach('connected');
    expect(app.said.others.slice(before)).toEqual([id]);
    expect(app.connections.list()).toHaveLength(2);
    expect(app.connections.list()[1]).toMatchObject({ name, hostKey: berlin.announced.hostKey });
  });

  it('do not trust another key of a newly installed master if the switch would lose texts that the user wants to keep', async () => {
    const app = await openApp();
    const { id, name, host, port } = await app.add('Berlin', berlin.announced);
    await app.pin(id, 'SHA256:another');
    await app.connections.use(id);
    await app.reach('failed');
    const switches = app.said.switches;
    const server = {
      ...{ host: '127.0.0.1', port: 22, user: 'root', login: { kind: 'agent' as const } },
      hostKey: { type: 'ssh-ed25519', fingerprint: 'SHA256:s' },
    };
    const { hostKey } = berlin.announced;
    const installed = { draft: { name, host: host ?? '', port: port ?? 0 }, hostKey, server };
    app.unsaved.update(['template lobby']);
    app.person.confirms = false;
    expect(await app.connections.adopt(installed)).toBe(id);
    expect(app.said.asked).toEqual([expect.stringMatching(/Berlin.*template lobby/s)]);
    expect(app.said.switches).toBe(switches);
    expect(app.settings.data.connections[0]).toMatchObject({ hostKey: 'SHA256:another', server });
    app.person.confirms = true;
    await app.connections.adopt(installed);
    await app.reach('connected');
    expect(app.said.switches).toBe(switches + 1);
  });

  it('continue at the new address of a moved master, and keep the host key and the transfers', async () => {
    const app = await openApp();
    const { id } = await app.add('Berlin', berlin.announced);
    await app.pin(id, berlin.announced.hostKey);
    await app.connections.use(id);
    await app.reach('connected');
    const others = app.said.others.length;
    const relay = await startByteRelay({ host: berlin.announced.host, port: berlin.announced.port });
    onTestFinished(() => relay.close());
    const server = {
      ...{ host: '127.0.0.1', port: 22, user: 'root', login: { kind: 'agent' as const } },
      hostKey: { type: 'ssh-ed25519', fingerprint: 'SHA256:s' },
    };
    const { hostKey } = berlin.announced;
    await app.connections.relocate(id, { host: '127.0.0.1', port: relay.port, hostKey, server });
    await waitFor(() => relay.passed.down > 0 && app.link.link.status === 'connected');
    expect(app.link.link).toMatchObject({ connection: id, name: 'Berlin' });
    const kept = { id, name: 'Berlin', host: '127.0.0.1', port: relay.port, hostKey, server };
    expect(app.settings.data.connections[0]).toMatchObject(kept);
    expect(app.said.others).toHaveLength(others);
    await expect(
      app.connections.relocate('other', { host: 'x', port: 1, hostKey, server }),
    ).rejects.toMatchObject({ code: 'CONNECTION_NOT_FOUND' });
  });

  it("show an id of the master's process that changes only when the master restarts", async () => {
    const app = await openApp();
    const { id } = await app.add('Berlin', berlin.announced);
    await app.pin(id, berlin.announced.hostKey);
    await app.connections.use(id);
    await app.reach('connected');
    const { run: before } = app.link.link;
    app.said.links.length = 0;
    app.link.ssh.destroy();
    // Search all states so far, because this state lasts only until the first retry, and a busy machine may check too
    // late.
    await waitFor(() => app.said.links.some(({ status }) => status === 'waiting'));
    await app.reach('connected');
    expect(app.link.link).toMatchObject({ run: before });
    await berlin.master.terminate();
    berlin.announced = await berlin.master.start();
    await app.connections.save(id, { name: 'Berlin', host: '127.0.0.1', port: berlin.announced.port });
    await app.reach('failed');
    await app.connections.trust(id, berlin.announced.hostKey);
    await app.reach('connected');
    expect(app.link.link.run).not.toBe(before);
  });

  it('are reported as lost within 15 s if the master stops responding', async () => {
    const app = await openApp();
    const proxy = await silentProxy(berlin.announced.port);
    onTestFinished(() => proxy.close());
    const { id } = await app.add('Berlin', { host: '127.0.0.1', port: proxy.port });
    await app.pin(id, berlin.announced.hostKey);
    await app.connections.use(id);
    await app.reach('connected');
    const began = performance.now();
    proxy.fallSilent();
    await waitFor(() => app.link.link.status !== 'connected', {
      what: 'the silence to be noticed',
    });
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(app.link.link.error?.code).toBe('CONNECTION_LOST');
  });
});
