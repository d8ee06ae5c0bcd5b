import { copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { startFakeHetzner, type FakeHetzner } from '#test/fake/hetzner/fake-hetzner.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

let fake: FakeHetzner;
let master: MasterProcess;

/** Start a master that runs no services on its own machine, so that each service needs a cloud node. */
beforeEach(async () => {
  fake = await startFakeHetzner({ actionMs: 5, addressOf: (id) => `127.1.2.${id % 250}` });
  onTestFinished(() => fake.close());
  master = new MasterProcess(temporaryFolder(), { from: 27_340, to: 27_349 }, [
    '--no-local',
    '--provider-url',
    fake.url,
  ]);
  await master.start();
  onTestFinished(() => master.terminate());
});

/** Creates a template whose service of 3 GB needs a whole node. */
async function createLobby(): Promise<void> {
  await master.call('templates.create', {
    id: 'lobby',
    config: {
      name: 'Lobby',
      isProxy: false,
      minJvmMemory: 16,
      maxJvmMemory: 3_000,
      minimumRunningServers: 1,
    },
  });
  await copyFile(await practiceServerJar(), join(master.data, 'templates', 'lobby', 'server.jar'));
  await waitFor(
    async () =>
      (await master.call('templates.list', {}))[0]?.files.revision !== null &&
      (await master.call('templates.list', {}))[0]?.files.jar !== null,
    { what: 'the revision of the template' },
  );
}

/** Stores the token and switches configure mode off. Waits until the node that is ordered has an address. */
async function orderFirstNode() {
  const { config, configRevision: basedOn } = await master.call('config.get', {});
  const provider = { ...config.provider, api_token: fake.token, configure_mode: false };
  const wanted = { ...config, provider };
  await master.call('config.update', { config: wanted, basedOn });
  await waitFor(() => fake.servers().length > 0, { what: 'the order of a node' });
  await waitFor(async () => (await master.call('nodes.list', {})).some(({ address }) => address !== ''), {
    what: 'the address of the node',
  });
  return wanted;
}

it('the master previews orders and prices for a token without storing the token or ordering a server', async () => {
  await createLobby();
  const { config } = await master.call('config.get', {});
  // With the threshold 100 %, the rules order only one node, although this node is nearly full.
  const rules = { api_token: fake.token, upscaling_at_percent_capacity: 100 };
  const wanted = { ...config, provider: { ...config.provider, ...rules } };
  const preview = await waitFor(() => master.call('provider.preview', { master: wanted }), {
    what: 'the first plan',
  });
  expect(preview.orders).toEqual([
    {
      ...{ node: 'node-1', type: 'cpx22', location: 'nbg1', perHour: 0.032, perMonth: 19.99 },
      cause: expect.stringContaining('lobby-1') as string,
    },
  ]);
  expect(preview.existing).toEqual({ nodes: 0, perHour: 0 });

  const limited = { ...wanted, limits: { ...config.limits, max_nodes: 0 } };
  const { orders, noOrder } = await waitFor(() => master.call('provider.preview', { master: limited }));
  expect([orders, noOrder?.reason]).toEqual([[], 'BUDGET_REACHED']);

  expect(fake.everOrdered()).toEqual([]);
  expect((await master.call('config.get', {})).config.provider.api_token).toBe('<API_TOKEN>');
});

it('the master tests the stored token or a given token, and neither stores nor logs a given token', async () => {
  await expect(master.call('provider.test', { token: null })).rejects.toMatchObject({
    code: 'PROVIDER_TOKEN_MISSING',
  });
  await master.call('provider.test', { token: fake.token });
  await expect(master.call('provider.test', { token: 'wrong-token' })).rejects.toMatchObject({
    code: 'PROVIDER_TOKEN_INVALID',
  });
  for (const text of [master.log, ...(await allTexts(master.data))]) {
    expect(text).not.toContain(fake.token);
    expect(text).not.toContain('wrong-token');
  }
  const { config, configRevision: basedOn } = await master.call('config.get', {});
  await master.call('config.update', {
    config: { ...config, provider: { ...config.provider, api_token: fake.token } },
    basedOn,
  });
  const project = await master.call('provider.test', { token: null });
  expect(project.locations.length).toBeGreaterThan(0);
  expect(JSON.stringify(project)).not.toContain(fake.token);
});

it('the master previews orders directly after the first order, even if the token was tested before this order', async () => {
  await createLobby();
  await master.call('provider.test', { token: fake.token });
  const wanted = await orderFirstNode();
  expect(await master.call('provider.preview', { master: wanted })).toMatchObject({ existing: { nodes: 1 } });
});

it('the master refuses a token of another project while it has nodes in the old project', async () => {
  await createLobby();
  await orderFirstNode();
  // Remove the labels of this network from all servers, so that the project looks like another project.
  for (const server of fake.servers()) server.labels = {};
  await expect(master.call('provider.test', { token: null })).rejects.toMatchObject({
    code: 'PROVIDER_OTHER_PROJECT',
  });
});

/** Returns the contents of all files below a folder. */
async function allTexts(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')),
  );
}
