import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { linkSchema, type Link } from '#shared/ipc/contract.ts';
import { API_VERSION } from '#shared/rpc/contract.ts';
import { VERSION } from '#shared/version.ts';
import { MasterLink } from '#main/connections/link.ts';
import type { MasterNotification } from '#main/connections/rpc-client.ts';
import { makePerson, type Person } from '#test/support/master/admin-master.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import {
  startVersionRelay,
  type Message,
  type VersionChanges,
  type VersionRelay,
} from '#test/support/master/version-relay.ts';
import { toIdentity } from '#test/support/identity.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Program of a master of the previous version. Tests with such a master are skipped if it is undefined. */
const olderProgram = process.env['OVERWORLD_TEST_OLDER_MASTER'];

const folder = mkdtempSync(join(tmpdir(), 'overworld-skew-'));
const data = join(folder, 'data');
const master = new MasterProcess(data, { from: 47_100, to: 47_199 });

beforeAll(async () => {
  await master.start();
  await master.call('templates.create', { id: 'lobby', config: { maximumOnlineServers: 3 } });
  // This service waits for its server.jar, so that the master has a service without running Java.
  await master.call('services.start', { template: 'lobby' });
});

afterAll(async () => {
  await master.shutDown();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** Version of a master whose API differs by `steps` versions. */
const versionAt = (steps: number): string => `9.${5 + steps}.0`;

function openLink(person: Person = makePerson('owner')) {
  const notifications: MasterNotification[] = [];
  const link = new MasterLink({
    subject: { connection: 'test', kind: 'remote', name: 'Test' },
    identity: toIdentity(person),
    onChange: (state) => void linkSchema.parse(state),
    onNotification: (notification) => notifications.push(notification),
  });
  onTestFinished(() => link.close());
  return { link, notifications };
}

const reach = (link: MasterLink, status: Link['status']) =>
  waitFor(() => link.link.status === status, { what: `the link to be ${status}` });

/** Connects to the real master as if its API differed by `steps` versions. */
async function connectTo(steps: number, status: Link['status'], changes: VersionChanges = {}) {
  const relay = await startVersionRelay(data, {
    ...changes,
    result: (method, result) => {
      const changed = changes.result?.(method, result) ?? result;
      if (method !== 'master.info') return changed;
      return { ...(changed as object), version: versionAt(steps), apiVersion: API_VERSION + steps };
    },
  });
  onTestFinished(() => relay.close());
  const opened = openLink();
  opened.link.connect({ host: relay.host, port: relay.port, pin: relay.hostKey });
  await reach(opened.link, status);
  return { ...opened, relay };
}

/** Adds a key to each object of a result, as a newer master may do. */
function withFurtherKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withFurtherKeys);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([key, part]) => [key, withFurtherKeys(part)] as const);
  return { ...Object.fromEntries(parts), addedLater: { by: 'a newer master' } };
}

const sentBy = (relay: VersionRelay, method: string): readonly Message[] =>
  relay.requests.filter((request) => request.method === method);

describe('an app and a master whose API versions differ by one', () => {
  it.each([-1, 1])('work together (version difference of the master: %d)', async (steps) => {
    const { link } = await connectTo(steps, 'connected');
    expect(link.link.master).toEqual({ version: versionAt(steps), apiVersion: API_VERSION + steps });
    const { services } = await link.call('services.list', {});
    expect(services.map(({ id }) => id)).toEqual(['lobby-1']);
    await link.call('services.hold', { id: 'lobby-1', held: steps < 0 });
    await waitFor(async () => {
      const [service] = (await master.call('services.list', {})).services;
      return service?.held === steps < 0;
    });
  });

  it('work together even if objects of the newer master contain unknown keys', async () => {
    const { link } = await connectTo(1, 'connected', { result: (_, result) => withFurtherKeys(result) });
    const own = await master.call('services.list', {});
    expect(await link.call('services.list', {})).toEqual(own);
    expect(await link.call('nodes.list', {})).toMatchObject([{ id: 'local' }]);
    expect(await link.call('activity.list', { limit: 3 })).toHaveLength(3);
    expect(await link.call('wayIn.get', {})).toEqual(await master.call('wayIn.get', {}));
  });

  it('work together even if lists of the newer master contain unknown states, reasons, events and topics', async () => {
    const { link, notifications } = await connectTo(1, 'connected', {
      notification: (_, params) => ({ ...(params as object), topics: ['services', 'worlds'] }),
      result: (method, result) => {
        const text = JSON.stringify(result)
          .replaceAll('"SERVER_JAR_MISSING"', '"WORLD_LOCKED"')
          .replaceAll('"REQUESTED"', '"FROZEN"')
          .replaceAll('"READY"', '"PAUSED"')
          .replaceAll('"template.created"', '"template.imported"');
        return method === 'master.info' ? result : (JSON.parse(text) as unknown);
      },
    });
    expect((await link.call('services.list', {})).services).toMatchObject([
      { id: 'lobby-1', state: 'UNKNOWN', waiting: { reason: 'OTHER' } },
    ]);
    expect(await link.call('nodes.list', {})).toMatchObject([{ id: 'local', state: 'UNKNOWN' }]);
    const events = await link.call('activity.list', { limit: 500 });
    expect(events.filter(({ kind }) => kind === 'other')).toMatchObject([{ subject: { id: 'lobby' } }]);
    await master.call('services.hold', { id: 'lobby-1', held: true });
    await waitFor(() => notifications.some(({ name }) => name === 'stale'));
    expect(notifications.find(({ name }) => name === 'stale')?.params).toEqual({
      topics: ['services', 'other'],
    });
  });

  it('preserve unknown settings of the newer master when the app saves a document', async () => {
    const { link, relay } = await connectTo(1, 'connected', {
      result: (method, result) =>
        method === 'templates.list'
          ? (result as { config: object }[]).map((template) => ({
              ...template,
              config: { ...template.config, worldBorder: 500, maxPlayers: 2_000_000 },
            }))
          : result,
      // Remove the setting from requests, because the real master does not support it.
      request: (message) =>
        message.method === 'templates.update'
          ? (JSON.parse(
              JSON.stringify(message).replace(',"worldBorder":500', '').replace('2000000', '20'),
            ) as Message)
          : message,
    });
    const [template] = await link.call('templates.list', {});
    expect(template?.config).toMatchObject({ worldBorder: 500, maxPlayers: 2_000_000 });
    const { configRevision: basedOn = '', config } = template ?? {};
    await link.call('templates.update', { id: 'lobby', config: { ...config, priority: 7 }, basedOn });
    expect(sentBy(relay, 'templates.update')).toMatchObject([
      { params: { config: { worldBorder: 500, priority: 7 } } },
    ]);
    expect(await master.call('templates.list', {})).toMatchObject([{ config: { priority: 7 } }]);
  });

  it('report which call the older master does not support', async () => {
    const { link } = await connectTo(-1, 'connected', {
      // Change the requests, so that the real master does not support them.
      request: (message) =>
        message.method === 'plan.noOrder'
          ? { ...message, method: 'plan.unheardOf' }
          : message.method === 'history.get'
            ? { ...message, params: { range: '30d' } }
            : message,
    });
    await expect(link.call('plan.noOrder', {})).rejects.toMatchObject({
      code: 'UNSUPPORTED_BY_MASTER',
      message: expect.stringMatching(
        `does not support plan.noOrder. It has version 9.4.0, and this app has version ${VERSION}. Update the master.`,
      ) as string,
    });
    await expect(link.call('history.get', { range: '1h' })).rejects.toMatchObject({
      code: 'UNSUPPORTED_BY_MASTER',
      details: { update: 'master' },
    });
    expect(await link.call('services.list', {})).toMatchObject({ complete: true });
  });

  it('show the message of an error with a code that only the newer master knows', async () => {
    const { link } = await connectTo(1, 'connected', {
      error: (error) =>
        JSON.parse(JSON.stringify(error).replaceAll('SERVICE_NOT_FOUND', 'WORLD_LOCKED')) as unknown,
    });
    const call = link.call('services.stop', { id: 'lobby-9', kill: false });
    await expect(call).rejects.toMatchObject({
      code: 'ERROR_OF_OTHER_VERSION',
      message: expect.stringMatching(/lobby-9.*\(WORLD_LOCKED\)$/) as string,
    });
  });
});

describe('an app and a master whose API versions differ by more than one', () => {
  it.each([
    [-2, 'master'],
    [2, 'app'],
  ])(
    'do not connect (version difference of the master: %d), and the error names the program to update',
    async (steps, older) => {
      const { link, relay } = await connectTo(steps, 'failed', {
        // A master whose version differs much may answer in another format.
        result: (method, result) => (method === 'master.info' ? { nothing: 'as before' } : result),
      });
      expect(link.link).toMatchObject({ retryAt: null, master: null });
      expect(link.link.error).toMatchObject({
        code: 'API_VERSION_MISMATCH',
        details: { master: versionAt(steps), app: VERSION, theirs: API_VERSION + steps, ours: API_VERSION },
      });
      expect(link.link.error?.message).toMatch(new RegExp(`Update the ${older}\\.$`));
      expect(relay.requests.map(({ method }) => method)).toEqual(['master.info']);
    },
  );
});

describe.runIf(olderProgram !== undefined)('a real master of the previous version', () => {
  const older = new MasterProcess(join(folder, 'older'), { from: 47_200, to: 47_299 });
  older.program = olderProgram ?? null;

  afterAll(() => older.shutDown());

  it('answers requests that list, create and change objects, and notifies the app of changes', async () => {
    const { host, port, hostKey } = await older.start();
    const person = makePerson('owner');
    await older.call('keys.add', { name: 'owner', role: 'owner', publicKey: person.publicKey });
    const { link, notifications } = openLink(person);
    link.connect({ host, port, pin: hostKey });
    await reach(link, 'connected');
    expect(link.link.master).toMatchObject({ apiVersion: API_VERSION - 1 });
    const { configRevision, config } = await link.call('templates.create', { id: 'lobby', config: {} });
    const changed = { ...config, maximumOnlineServers: 3 };
    await link.call('templates.update', { id: 'lobby', config: changed, basedOn: configRevision });
    await link.call('services.start', { template: 'lobby' });
    await waitFor(async () => (await link.call('services.list', {})).services[0]?.id === 'lobby-1');
    for (const method of ['nodes.list', 'wayIn.get', 'config.get', 'costs.get', 'keys.list'] as const) {
      await link.call(method, {});
    }
    expect(await link.call('activity.list', { limit: 500, kinds: ['template.created'] })).toHaveLength(1);
    expect(notifications.length).toBeGreaterThan(0);
  });
});
