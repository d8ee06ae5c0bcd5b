import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { methods, type MethodName, type Params } from '#shared/rpc/contract.ts';
import { withMaster, type MasterClient } from '#master/cli/client.ts';
import { startMaster } from '#master/boot/daemon.ts';
import { startFakeHetzner, type FakeHetzner } from '#test/fake/hetzner/fake-hetzner.ts';
import { serverTypes } from '#test/fake/hetzner/world/catalog.ts';
import type { FaultKind } from '#test/fake/hetzner/http/faults.ts';
import { otherViewerMethods, readCalls } from '#test/support/contract/read-calls.ts';
import { freePort } from '#test/support/free-port.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const REQUEST_MS = 300;

/** Number of calls of each method per fault. Several calls are needed, because response times vary. */
const PASSES = 15;

/** Settings of a template whose service fills the smallest node of the fake provider. */
const LOBBY = { isProxy: false, minJvmMemory: 16, maxJvmMemory: 3_000, minimumRunningServers: 1 };

const everywhere = (change: (type: string, location: string) => void): void => {
  for (const { name, locations } of serverTypes) for (const place of locations) change(name, place);
};
const always = (fault: FaultKind) => (fake: FakeHetzner) => fake.faults.choose(() => fault);
const refuse = (status: number, code: string) => always({ kind: 'refuse', status, code });

/** All faults that the fake provider can cause, by description. */
const faults: Readonly<Record<string, (fake: FakeHetzner) => unknown>> = {
  'the provider works': () => undefined,
  'the provider cannot be reached': (fake) => fake.close(),
  'the provider cuts connections': always({ kind: 'cut' }),
  'the provider carries out requests and does not answer': always({ kind: 'answer lost' }),
  'the provider takes longer than the time limit of a request': always({ kind: 'slow', ms: REQUEST_MS * 2 }),
  'the answers of the provider are not JSON': always({ kind: 'unreadable' }),
  'the provider answers 401': (fake) => fake.tokens.clear(),
  'the provider answers 403': refuse(403, 'forbidden'),
  'the API token may only read': (fake) => fake.tokens.set(fake.token, { write: false }),
  'the provider answers 404': refuse(404, 'not_found'),
  'the provider answers 409': refuse(409, 'conflict'),
  'the provider answers 423': refuse(423, 'locked'),
  'the provider answers 429': refuse(429, 'rate_limit_exceeded'),
  'the rate limit of the provider is used up': (fake) => fake.bucket.drainTo(0),
  'the provider answers 500 without a body': always({ kind: 'empty 500' }),
  'the gateway of the provider answers 502': always({ kind: 'bad gateway' }),
  'the gateway answers 502 to requests that were carried out': always({ kind: 'bad gateway', after: true }),
  'the provider answers 503': refuse(503, 'unavailable'),
  'all types are sold out': ({ world }) => everywhere((...pair) => world.stock.sellOut(...pair)),
  'all types are shown as sold out': ({ world }) => everywhere((...pair) => world.stock.show(...pair, false)),
  'all types are deprecated': ({ world }) =>
    everywhere((...pair) => world.stock.deprecate(...pair, '2026-01-01T00:00:00+00:00')),
  'the limit of the account is reached': ({ world }) => (world.limits.servers = 0),
  'no server can be created': ({ faults: list }) => list.failAction('create_server', Infinity),
  'no server can be deleted': ({ faults: list }) => list.failAction('delete_server', Infinity),
};

/** All methods that only read and that an owner may call. */
const reads: { readonly [M in MethodName]?: Params<M> } = {
  ...readCalls,
  'security.list': { order: 'newest', limit: 100 },
  'security.verify': {},
};

it('the list of tested methods contains every read-only method of the API', () => {
  const ofViewers = Object.entries(methods).filter(([, { role }]) => role === 'viewer');
  const missing = ofViewers.map(([name]) => name).filter((name) => !(name in readCalls));
  expect(missing.sort()).toEqual([...otherViewerMethods].sort());
});

it.each(Object.entries(faults))(
  'each answer of the master matches its schema while %s',
  async (_name, apply) => {
    const { fake, ask } = await aMasterThatRents();
    const tried = (): number => fake.requests.length;
    await ask(async (master) => {
      await waitFor(async () => (await master.call('nodes.list', {}))[0]?.state === 'BOOTING', {
        what: 'a node that boots',
      });
      await waitFor(
        () => {
          for (const { name } of fake.servers()) fake.powerByHand(name, 'poweroff');
          return true;
        },
        { what: 'its server to be switched off' },
      );
      const before = tried();
      await apply(fake);
      await wantMore(master);
      await waitFor(
        async () => tried() > before + 3 || (await master.call('nodes.provider', {})).trouble !== null,
        { what: 'the provider to be asked' },
      );
      for (let pass = 0; pass < PASSES; pass += 1) {
        for (const [method, params] of Object.entries(reads)) {
          // The client checks each response against the schema of its method.
          await expect(
            master.call(method as 'services.list', params as object),
            method,
          ).resolves.toBeDefined();
        }
      }
      const { services } = await master.call('services.list', {});
      expect(services.filter(({ waiting }) => waiting !== null).length).toBeGreaterThan(0);
    });
  },
);

/** Creates a master that runs no services on its own machine and calls its cloud provider all the time. */
async function aMasterThatRents(): Promise<{
  readonly fake: FakeHetzner;
  readonly ask: (use: (master: MasterClient) => Promise<void>) => Promise<void>;
}> {
  const data = temporaryFolder();
  const fake = await startFakeHetzner({ actionMs: 5, addressOf: (id) => `127.1.1.${id % 250}` });
  const times = { refresh: 50, supply: 100, sweep: 200, actionPoll: 5, actionTimeout: 1_000, retry: 5 };
  const master = await startMaster({
    data,
    sshHost: '127.0.0.1',
    sshPort: 0,
    local: false,
    providerUrl: fake.url,
    providerTimes: { ...times, request: REQUEST_MS, grace: 300 },
    limits: { roundMs: 50 },
    log: pino({ level: 'silent' }),
  });
  onTestFinished(async () => {
    await master.close();
    await fake.close();
  });
  const ask = (use: (client: MasterClient) => Promise<void>): Promise<void> => withMaster(data, use);
  await ask(async (client) => {
    const { config, configRevision } = await client.call('config.get', {});
    const communication = { hostname: '127.0.0.1', port: await freePort() };
    const provider = { ...config.provider, api_token: fake.token, configure_mode: false };
    await client.call('config.update', {
      config: { ...config, communication, provider },
      basedOn: configRevision,
    });
    await client.call('templates.create', { id: 'lobby', config: LOBBY });
    await copyFile(await practiceServerJar(), join(data, 'templates', 'lobby', 'server.jar'));
  });
  return { fake, ask };
}

/** Requests more services than the nodes can run, so that the master orders nodes. */
async function wantMore(master: MasterClient): Promise<void> {
  const [template] = await master.call('templates.list', {});
  const config = { ...LOBBY, minimumRunningServers: 4 };
  await master.call('templates.update', { id: 'lobby', config, basedOn: template?.configRevision ?? '' });
}
