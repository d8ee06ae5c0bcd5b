import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HetznerFixture } from '#test/support/nodes/hetzner-fixture.ts';

const run = promisify(execFile);

const isInstalled = await run('hcloud', ['version']).then(
  () => true,
  () => false,
);

/**
 * Debian's `hcloud-cli` is an independent client. It shows the objects that the adapter has created, and it works
 * with the fake API.
 */
describe.skipIf(!isInstalled)('the command-line tool of the provider', () => {
  let fixture: HetznerFixture;
  beforeEach(async () => {
    fixture = await HetznerFixture.open();
    await fixture.start();
  });
  afterEach(() => fixture.close());

  const hcloud = async (...args: string[]): Promise<string> => {
    const env = { ...process.env, HCLOUD_ENDPOINT: fixture.fake.url, HCLOUD_TOKEN: fixture.fake.token };
    return (await run('hcloud', args, { env, timeout: 30_000 })).stdout;
  };

  it('lists the server of an ordered node with labels and firewall', async () => {
    await fixture.order();
    const servers = JSON.parse(await hcloud('server', 'list', '-o', 'json')) as Record<string, unknown>[];
    expect(servers).toMatchObject([
      { name: 'ow-1234abcd-node-1', status: 'running', labels: { 'overworld/node': 'node-1' } },
    ]);
    const selected = await hcloud(
      'server',
      'list',
      '-l',
      'overworld/node in (node-1,node-2)',
      '-o',
      'noheader',
    );
    expect(selected).toContain('ow-1234abcd-node-1');
    expect(await hcloud('firewall', 'list', '-o', 'noheader')).toContain('ow-1234abcd');
  });

  it('deletes the server of a node, and the master removes the node', async () => {
    await fixture.order();
    await hcloud('server', 'delete', 'ow-1234abcd-node-1');
    await fixture.until(() => fixture.machines.all().length === 0);
  });

  it('can switch a server off, and the master then treats its node as off', async () => {
    await fixture.order();
    await hcloud('server', 'poweroff', 'ow-1234abcd-node-1');
    await fixture.until(() => fixture.machine()?.state === 'off');
  });

  it('creates an SSH key, which the next order uses', async () => {
    await hcloud(
      'ssh-key',
      'create',
      '--name',
      'admin',
      '--public-key',
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE0 a',
    );
    fixture.settings.provider.ssh_keys.push('admin');
    await fixture.order();
    expect(fixture.fake.servers()[0]?.sshKeys).toEqual(['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE0 a']);
  });
});
