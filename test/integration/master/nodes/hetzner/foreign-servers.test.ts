import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clusterLabels, toLabels } from '#master/nodes/hetzner/labels.ts';
import { CLUSTER, HetznerFixture } from '#test/support/nodes/hetzner-fixture.ts';

/** Id of a network whose master no longer exists. */
const LOST = 'aaaabbbb-0000-4000-8000-000000000009';
const names = ['ow-aaaabbbb-node-2', 'ow-aaaabbbb-node-10'] as const;

let fixture: HetznerFixture;
beforeEach(async () => {
  fixture = await HetznerFixture.open();
});
afterEach(() => fixture.close());

/** Creates the servers, the firewall and an unused IP of the lost network, and a server without Overworld's labels. */
function addLostNetwork(): void {
  const { fake } = fixture;
  for (const name of names) {
    const node = name.slice('ow-aaaabbbb-'.length);
    fake.addServer(name, toLabels(LOST, { node, readyAt: null, sshPort: 22, hostKeys: [] }));
  }
  fake.addServer('web-1', { team: 'web' });
  // Wait until the servers are created, because the provider locks them until then.
  fake.clock.advance(3_600_000);
}

/** Returns the requests that delete something. */
function deletions(): string[] {
  return fixture.fake.requests
    .filter(({ method }) => method === 'DELETE')
    .map(({ path }) => path.replace(/\d+$/, 'ID'));
}

function found(): string[] {
  return fixture.machines.foreignServers().map(({ name }) => name);
}

const remove = (name: string, network = LOST): Promise<void> =>
  fixture.machines.deleteForeignServer({ name, network });

describe('the servers of other networks in the project', () => {
  it('are listed with address, type, age and cost, and never changed', async () => {
    addLostNetwork();
    // The API reports whole seconds.
    const created = Math.floor((fixture.fake.servers()[0]?.created ?? 0) / 1000) * 1000;
    await fixture.start();
    await fixture.until(() => found().length > 0, 'the servers to be listed');
    expect(found()).toEqual(names);
    expect(fixture.machines.foreignServers()[0]).toEqual({
      name: 'ow-aaaabbbb-node-2',
      network: LOST,
      address: '203.0.113.1',
      type: 'cpx22',
      location: 'nbg1',
      since: created,
      hourlyPrice: fixture.machines
        .supply()
        ?.offers.find(({ type, location }) => type === 'cpx22' && location === 'nbg1')?.hourlyPrice,
      deleting: false,
    });
    expect(fixture.machines.all()).toEqual([]);
    const changes = fixture.fake.requests.filter(({ method }) => method !== 'GET');
    expect(changes).toEqual([]);
  });

  it('do not include servers of this network, and servers without a label of Overworld', async () => {
    addLostNetwork();
    await fixture.start();
    await fixture.order();
    await fixture.until(() => found().length === 2, 'the servers to be listed');
    expect(found()).toEqual(names);
  });

  it("remain in the list while the provider fails, without an effect on this network's nodes", async () => {
    addLostNetwork();
    await fixture.start();
    await fixture.until(() => found().length === 2, 'the servers to be listed');
    fixture.fake.faults.choose((_method, _path, query) =>
      new URLSearchParams(query).get('label_selector') === 'overworld/cluster'
        ? { kind: 'refuse', status: 503, code: 'unavailable' }
        : undefined,
    );
    await fixture.until(() => fixture.log.some((line) => line.includes('could not be listed')));
    expect(found()).toEqual(names);
    expect(fixture.machines.trouble()).toBeNull();
    await fixture.order();
    expect(fixture.machine()).toMatchObject({ state: 'on' });
  });
});

describe('the deletion of a server of another network', () => {
  it('deletes only this server, and for the last server also the firewall and unused IPs of the network', async () => {
    addLostNetwork();
    await fixture.start();
    const { world } = fixture.fake;
    const [address] = world.primaryIps.values();
    await fixture.until(() => found().length === 2, 'the servers to be listed');
    await remove(names[1]);
    expect(fixture.machines.foreignServers()[1]).toMatchObject({ name: names[1], deleting: true });
    await fixture.until(() => found().length === 1, 'the server to be deleted');
    expect(fixture.fake.servers().map(({ name }) => name)).toEqual([names[0], 'web-1']);
    expect(deletions()).toEqual(['/servers/ID']);

    // The IP of the last server stays, as if it were not deleted together with its server.
    const unused = { ...address, id: world.nextId(), server: null, labels: { ...clusterLabels(LOST) } };
    world.primaryIps.set(unused.id, unused as NonNullable<typeof address>);
    await remove(names[0]);
    await fixture.until(() => found().length === 0 && !world.primaryIps.has(unused.id), 'the rest');
    expect(fixture.fake.servers().map(({ name }) => name)).toEqual(['web-1']);
  });

  it.each([
    ['a server without a label of Overworld', 'web-1', LOST],
    [
      'a server of the lost network, if the request names a third network',
      names[0],
      'cccc0000-0000-4000-8000-000000000003',
    ],
    ['a server of this network', 'ow-1234abcd-node-1', CLUSTER],
    ['a server of this network, if the request names the lost network', 'ow-1234abcd-node-1', LOST],
  ])('is refused for %s', async (_what, name, network) => {
    addLostNetwork();
    await fixture.start();
    await fixture.order();
    await fixture.until(() => found().length === 2, 'the servers to be listed');
    await expect(remove(name, network)).rejects.toMatchObject({ code: 'RELEASE_REFUSED' });
    expect(deletions()).toEqual([]);
  });

  it('is refused for a name that belongs to no server', async () => {
    await fixture.start();
    await expect(remove('ow-aaaabbbb-node-2')).rejects.toMatchObject({ code: 'NODE_NOT_FOUND' });
  });

  it('explains how to delete a protected server', async () => {
    addLostNetwork();
    for (const server of fixture.fake.world.servers.values()) server.protected = true;
    await fixture.start();
    await expect(remove(names[0])).rejects.toThrow("Remove the protection in the provider's console");
    expect(fixture.fake.servers()).toHaveLength(3);
  });

  it('is possible in configure mode, because a person has requested it', async () => {
    addLostNetwork();
    fixture.settings.provider.configure_mode = true;
    await fixture.start();
    await remove(names[0]);
    await fixture.until(() => fixture.fake.servers().length === 2, 'the server to be deleted');
  });

  it('fails if the provider is unreachable, and the error names this reason', async () => {
    addLostNetwork();
    await fixture.start();
    fixture.fake.faults.choose(() => ({ kind: 'cut' }));
    await expect(remove(names[0])).rejects.toMatchObject({ code: 'PROVIDER_UNREACHABLE' });
  });
});
