import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withMaster, type MasterClient } from '#master/cli/client.ts';
import { startMaster } from '#master/boot/daemon.ts';
import { serverName, toLabels } from '#master/nodes/hetzner/labels.ts';
import { startFakeHetzner, type FakeHetzner } from '#test/fake/hetzner/fake-hetzner.ts';
import { freePort } from '#test/support/free-port.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const CLUSTER = '1234abcd-0000-4000-8000-000000000001';
const MINUTE_MS = 60_000;

/**
 * Returns a provider with three nodes. `node-1` is lost (switched off). `node-2` is empty, and at the end of its paid
 * hour. `node-3` was ordered an hour ago, but never became ready.
 */
async function aFleet(): Promise<FakeHetzner> {
  const fake = await startFakeHetzner({ actionMs: 1, addressOf: (id) => `127.1.2.${id % 250}` });
  onTestFinished(() => fake.close());
  fake.clock.advance(-58 * MINUTE_MS);
  for (const node of ['node-1', 'node-2', 'node-3']) {
    const readyAt = node === 'node-3' ? null : fake.clock.now();
    fake.addServer(
      serverName(CLUSTER, node),
      toLabels(CLUSTER, { node, readyAt, sshPort: 22, hostKeys: [] }),
    );
  }
  fake.clock.advance(58 * MINUTE_MS);
  await waitFor(
    () => {
      fake.powerByHand(serverName(CLUSTER, 'node-1'), 'poweroff');
      return true;
    },
    { what: 'node-1 to be switched off' },
  );
  return fake;
}

/** Runs a master with these nodes. */
async function withFleet(
  fake: FakeHetzner,
  use: (master: MasterClient, switchOff: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const data = temporaryFolder();
  await mkdir(join(data, 'config'), { mode: 0o700 });
  const communication = { hostname: '127.0.0.1', port: await freePort() };
  const provider = { api_token: fake.token, configure_mode: true };
  await writeFile(join(data, 'config', 'master.json'), JSON.stringify({ communication, provider }));
  await writeFile(join(data, 'config', 'cluster.json'), JSON.stringify({ id: CLUSTER }));
  // Create a state folder, because a master with stored state does not wait for unreachable nodes at its start.
  await mkdir(join(data, 'state'), { mode: 0o700 });
  await writeFile(
    join(data, 'state', 'services.json'),
    JSON.stringify({ numbers: { lobby: 1 }, services: [] }),
  );
  const master = await startMaster({
    data,
    sshHost: '127.0.0.1',
    sshPort: 0,
    local: true,
    providerUrl: fake.url,
    providerTimes: { refresh: 20, supply: 50, sweep: 100, actionPoll: 5, retry: 5, grace: 300 },
    limits: { roundMs: 20 },
    log: pino({ level: 'silent' }),
  });
  onTestFinished(() => master.close());
  await withMaster(data, (client) =>
    use(client, async () => {
      const { config, configRevision } = await client.call('config.get', {});
      const off = { ...config, provider: { ...config.provider, configure_mode: false } };
      await client.call('config.update', { config: off, basedOn: configRevision });
    }),
  );
}

const left = (fake: FakeHetzner): string[] => fake.servers().map(({ name }) => name.slice(-'node-1'.length));

/** Waits until the provider has received this number of additional requests from the master. */
async function looks(fake: FakeHetzner, count: number): Promise<void> {
  const before = fake.requests.length;
  await waitFor(() => Promise.resolve(fake.requests.length >= before + count), { what: 'more looks' });
}

describe('configure mode', () => {
  it('keeps lost and empty nodes until a person releases them, and shows the reason', async () => {
    const fake = await aFleet();
    await withFleet(fake, async (master) => {
      const reasons = async (): Promise<string[]> =>
        (await master.call('nodes.list', {})).map(({ id, state, keep }) => `${id} ${state} ${keep?.reason}`);
      await waitFor(async () => (await reasons()).includes('node-1 LOST CONFIGURE_MODE'), {
        what: 'the first plan',
      });
      await looks(fake, 30);
      expect(await reasons()).toEqual([
        'local READY undefined',
        'node-1 LOST CONFIGURE_MODE',
        'node-2 READY CONFIGURE_MODE',
        'node-3 BOOTING NEEDED',
      ]);
      expect(left(fake)).toEqual(['node-1', 'node-2', 'node-3']);
      for (const id of ['node-1', 'node-2', 'node-3']) {
        await master.call('nodes.schedule', { id, to: 'release' });
        await waitFor(() => Promise.resolve(!left(fake).includes(id)), { what: `${id} to be deleted` });
      }
    });
  });

  it('lets the rules release nodes again after it was switched off', async () => {
    const fake = await aFleet();
    await withFleet(fake, async (master, switchOff) => {
      await waitFor(async () => (await master.call('nodes.list', {})).some(({ keep }) => keep !== null), {
        what: 'the first plan',
      });
      await switchOff();
      await waitFor(() => Promise.resolve(!left(fake).includes('node-1') && !left(fake).includes('node-2')), {
        what: 'both to be deleted',
      });
    });
  });
});
