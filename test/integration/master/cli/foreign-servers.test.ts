import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { ForeignServer } from '#shared/model/foreign-server.ts';
import { startMaster } from '#master/boot/daemon.ts';
import { withMaster } from '#master/cli/client.ts';
import { clusterLabels } from '#master/nodes/hetzner/labels.ts';
import { startFakeHetzner } from '#test/fake/hetzner/fake-hetzner.ts';
import { freePort } from '#test/support/free-port.ts';
import { cliOf } from '#test/support/master/command-line.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Id of a network whose master was lost with its data folder. */
const LOST = 'aaaabbbb-0000-4000-8000-000000000009';

it("a new master with the API token of a lost network can list the network's servers and delete them by name", async () => {
  const fake = await startFakeHetzner({ actionMs: 5 });
  onTestFinished(() => fake.close());
  for (const number of [1, 2]) fake.addServer(`ow-aaaabbbb-node-${number}`, { ...clusterLabels(LOST) });
  fake.addServer('web-1');
  fake.clock.advance(3_600_000);
  const data = temporaryFolder();
  const master = await startMaster({
    ...{ data, sshHost: '127.0.0.1', sshPort: 0, local: false, providerUrl: fake.url },
    providerTimes: { refresh: 50, supply: 100, sweep: 200, actionPoll: 5, retry: 5 },
    limits: { roundMs: 50 },
    log: pino({ level: 'silent' }),
  });
  onTestFinished(() => master.close());
  let out = '';
  const cli = async (...args: readonly string[]): Promise<number> => {
    const printed = await cliOf(data)(...args);
    out = printed.text;
    return printed.code;
  };
  const listed = async (): Promise<string[]> => {
    expect(await cli('node', 'foreign', '--json')).toBe(0);
    return (JSON.parse(out) as ForeignServer[]).map(({ name }) => name);
  };

  expect(await cli('node', 'foreign')).toBe(0);
  expect(out).toContain('no servers of other networks');
  await withMaster(data, async (client) => {
    const { config, configRevision: basedOn } = await client.call('config.get', {});
    const provider = { ...config.provider, api_token: fake.token };
    const communication = { hostname: '127.0.0.1', port: await freePort() };
    await client.call('config.update', { config: { ...config, communication, provider }, basedOn });
  });
  await waitFor(async () => (await listed()).length === 2, { what: 'the servers to be listed' });
  expect(await cli('node', 'foreign')).toBe(0);
  expect(out).toMatch(/ow-aaaabbbb-node-1 +aaaabbbb-\S+009 +203\.0\.113\.1 +cpx22 +nbg1 .* 0\.0320 /);
  expect(out).toContain('Another master may manage them.');
  expect(out).not.toContain('web-1');
  expect(await cli('node', 'list')).toBe(0);
  expect(out).toContain('2 servers of another network cost 0.0640 EUR/h');

  expect(await cli('node', 'delete-foreign', 'ow-aaaabbbb-node-1')).toBe(2);
  expect(out).toContain('--network');
  expect(await cli('node', 'delete-foreign', 'web-1', '--network', LOST)).toBe(1);
  expect(out).toContain(`it does not have the label of network ${LOST}`);
  expect(fake.servers()).toHaveLength(3);

  expect(await cli('node', 'delete-foreign', 'ow-aaaabbbb-node-1', '--network', LOST)).toBe(0);
  await waitFor(async () => (await listed()).length === 1, { what: 'the server to be deleted' });
  expect(fake.servers().map(({ name }) => name)).toEqual(['ow-aaaabbbb-node-2', 'web-1']);
  expect(await cli('activity')).toBe(0);
  expect(out).toContain(`Server ow-aaaabbbb-node-1 of another network (${LOST}) is deleted at the provider`);
  expect(await cli('audit', 'export')).toBe(0);
  expect(out).toContain('ow-aaaabbbb-node-1');
});
