import { copyFile, rename } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  MACHINE_SEED,
  CLUSTER,
  FIRST_HOST_KEY,
  HetznerFixture,
} from '#test/support/nodes/hetzner-fixture.ts';

let fixture: HetznerFixture;
beforeEach(async () => {
  fixture = await HetznerFixture.open();
  await fixture.start();
});
afterEach(() => fixture.close());

const NAME = 'ow-1234abcd-node-1';
const OTHER_KEY = `SHA256:${'zY9-'.replace('-', '+').repeat(10)}abc`;

/** Orders node-1 and marks it as ready. */
async function readyNode(readyAt = 1_795_000_000_000): Promise<void> {
  await fixture.order();
  await fixture.machines.remember('node-1', { readyAt, hostKeys: [OTHER_KEY] });
}

describe('a master with cloud nodes after a restart', () => {
  it('knows its cloud nodes before it sends a request to the provider', async () => {
    await readyNode();
    await fixture.stop();
    await fixture.start({ wait: false });
    expect(fixture.machine()).toMatchObject({ state: 'on', hostKeys: [OTHER_KEY], address: '203.0.113.1' });
    expect(fixture.machines.listed()).toBe(false);
    await fixture.until(() => fixture.machines.listed());
  });

  it('reads the list of its servers although the price list does not answer', async () => {
    await fixture.close();
    fixture = await HetznerFixture.open({ times: { request: 60_000 } });
    await fixture.start();
    await readyNode();
    await fixture.stop();
    fixture.fake.faults.add({ kind: 'slow', ms: 60_000, path: /^\/pricing$/, times: Infinity });
    await fixture.start({ wait: false });
    await fixture.until(() => fixture.machines.listed());
    expect(fixture.machines.supply()).toBeNull();
  });

  it('restores all data about a node from the labels of the server if its state is lost', async () => {
    fixture.settings.provider.server_port = 2222;
    await readyNode();
    const before = fixture.machine();
    await fixture.stop();
    await fixture.loseState();
    fixture.settings.provider.server_port = 22;
    await fixture.start();
    expect(fixture.machine()).toEqual({ ...before, state: 'on' });
    expect(fixture.machine()).toMatchObject({
      readyAt: 1_795_000_000_000,
      sshPort: 2222,
      hostKeys: [OTHER_KEY],
    });
    expect(fixture.machines.supply()?.nextNumber).toBe(2);
  });

  it('learns from the labels of a server that its node became ready after the backup of the state', async () => {
    await fixture.order();
    await copyFile(fixture.statePath, `${fixture.statePath}.backup`);
    await fixture.machines.remember('node-1', { readyAt: 1_795_000_000_000, hostKeys: [OTHER_KEY] });
    const [server] = fixture.fake.servers();
    const labels = { ...server?.labels };
    await fixture.stop();
    await rename(`${fixture.statePath}.backup`, fixture.statePath);
    await fixture.start();
    expect(fixture.machine()).toMatchObject({ readyAt: 1_795_000_000_000, hostKeys: [OTHER_KEY] });
    expect(labels).toMatchObject({ 'overworld/ready': '1795000000' });
    expect(server?.labels).toEqual(labels);
  });

  it('takes over a server without a record even if the price list cannot be read', async () => {
    await readyNode();
    await fixture.stop();
    await fixture.loseState();
    fixture.fake.faults.add({ kind: 'bad gateway', path: /^\/pricing$/, times: Infinity });
    await fixture.start({ wait: false });
    await fixture.until(() => fixture.machines.listed());
    expect(fixture.machine()).toMatchObject({ state: 'on', readyAt: 1_795_000_000_000 });
    expect(fixture.machines.supply()).toBeNull();
  });

  it('continues an order during which it was killed, even if its state is lost', async () => {
    fixture.fake.world.actionMs = 60_000;
    const ordering = fixture.order().catch((error: unknown) => error);
    await fixture.until(() => fixture.fake.servers().length === 1);
    await fixture.stop();
    await ordering;
    await fixture.loseState();
    await fixture.start();
    expect(fixture.machine()).toMatchObject({ state: 'starting', hostKeys: [FIRST_HOST_KEY], readyAt: null });
    fixture.fake.clock.advance(120_000);
    await fixture.until(() => fixture.machine()?.state === 'on');
    expect(fixture.fake.everOrdered()).toHaveLength(1);
  });

  it('continues a release during which it was killed', async () => {
    await readyNode();
    fixture.fake.faults.add({ kind: 'cut', method: 'DELETE', times: 100 });
    const releasing = fixture.machines.release('node-1', 'rules').catch((error: unknown) => error);
    await fixture.until(() => fixture.machine()?.state === 'deleting');
    await fixture.stop();
    await releasing;
    fixture.fake.faults.clear();
    await fixture.start();
    await fixture.until(() => fixture.fake.servers().length === 0);
    await fixture.until(() => fixture.machines.all().length === 0);
  });

  it.each([
    ['the price list cannot be read', { kind: 'bad gateway', path: /^\/pricing$/ }, false],
    ['the list of servers is answered with an error', { kind: 'bad gateway', path: /^\/servers$/ }, false],
    ['the list of servers is not answered', { kind: 'cut', path: /^\/servers$/ }, true],
    [
      'the token is not valid any more',
      { kind: 'refuse', status: 401, code: 'unauthorized', path: /^\/servers$/ },
      true,
    ],
  ] as const)(
    'sees whether nodes are lost unless the provider is silent or refuses the token: %s',
    async (_, fault, isBlind) => {
      await readyNode();
      fixture.fake.faults.add({ ...fault, times: Infinity });
      await fixture.until(() => fixture.machines.trouble());
      expect(fixture.machines.isBlind()).toBe(isBlind);
      fixture.fake.faults.clear();
      await fixture.until(() => fixture.machines.trouble() === null);
      expect(fixture.machines.isBlind()).toBe(false);
    },
  );

  it('sees no longer whether nodes are lost, long before a request for the list of servers times out', async () => {
    await readyNode();
    fixture.fake.faults.add({ kind: 'slow', ms: 60_000, path: /^\/servers$/, times: Infinity });
    await fixture.until(() => fixture.machines.isBlind());
    expect(fixture.machines.trouble()).toBeNull();
    fixture.fake.faults.clear();
    await fixture.until(() => !fixture.machines.isBlind());
  });

  it('keeps its list of nodes while the provider is unreachable, and reports this', async () => {
    await readyNode();
    await fixture.stop();
    fixture.fake.faults.add({ kind: 'bad gateway', times: Infinity });
    await fixture.start({ wait: false });
    const trouble = await fixture.until(() => fixture.machines.trouble());
    expect(trouble).toContain('cannot be reached');
    expect(trouble).toContain('http_502');
    expect(fixture.machines.listed()).toBe(false);
    expect(fixture.machine()?.state).toBe('on');
    fixture.fake.faults.clear();
    await fixture.until(() => fixture.machines.trouble() === null && fixture.machines.listed());
  });
});

describe('after a change in the provider’s console', () => {
  it('a node is removed if its server was deleted', async () => {
    await readyNode();
    fixture.fake.deleteByHand(NAME);
    await fixture.until(() => fixture.machines.all().length === 0);
  });

  it('a node is off while its server is switched off, and on once the server is running', async () => {
    await readyNode();
    fixture.fake.powerByHand(NAME, 'poweroff');
    await fixture.until(() => fixture.machine()?.state === 'off');
    fixture.fake.powerByHand(NAME, 'poweron');
    await fixture.until(() => fixture.machine()?.state === 'on');
  });

  it('removed labels of a server are added again, and labels by people are kept', async () => {
    await readyNode();
    const [server] = fixture.fake.servers();
    if (server === undefined) throw new Error('no server');
    server.labels = { team: 'network' };
    await fixture.until(() => server.labels['overworld/cluster'] === CLUSTER);
    expect(server.labels).toMatchObject({
      team: 'network',
      'overworld/node': 'node-1',
      'overworld/ready': '1795000000',
    });
    expect(fixture.machine()?.state).toBe('on');
  });

  it('a server whose label names another node still belongs to its node, and the label is restored', async () => {
    await readyNode();
    const [server] = fixture.fake.servers();
    if (server === undefined) throw new Error('no server');
    server.labels = { ...server.labels, 'overworld/node': 'node-9' };
    await fixture.until(() => server.labels['overworld/node'] === 'node-1');
    expect(fixture.machines.all().map(({ node }) => node)).toEqual(['node-1']);
  });

  it('a renamed server still belongs to its node', async () => {
    await readyNode();
    const [server] = fixture.fake.servers();
    if (server === undefined) throw new Error('no server');
    server.name = 'my-favourite';
    await fixture.machines.release('node-1', 'rules');
    expect(fixture.fake.servers()).toEqual([]);
  });

  it('a second server of a node is deleted after a grace period, and the first server is kept', async () => {
    await readyNode();
    const [first] = fixture.fake.servers();
    fixture.fake.addServer('copy', { ...first?.labels });
    fixture.fake.clock.advance(60_000);
    await fixture.until(() => fixture.fake.servers().length === 1);
    expect(fixture.fake.servers()[0]?.id).toBe(first?.id);
  });

  it('a second server of a node is kept while configure mode is on', async () => {
    await readyNode();
    const [first] = fixture.fake.servers();
    fixture.fake.addServer('copy', { ...first?.labels });
    fixture.settings.provider.configure_mode = true;
    fixture.fake.clock.advance(60_000);
    await fixture.until(() => fixture.log.some((line) => line.includes('"copy"')));
    expect(fixture.fake.servers()).toHaveLength(2);
    fixture.settings.provider.configure_mode = false;
    await fixture.until(() => fixture.fake.servers().length === 1);
  });

  it('a server with the label of the network but without a node is not touched', async () => {
    const stranger = fixture.fake.addServer('experiment', { 'overworld/cluster': CLUSTER });
    const other = fixture.fake.addServer('web-1');
    fixture.fake.clock.advance(600_000);
    await fixture.until(() => fixture.log.some((line) => line.includes('"experiment"')));
    await readyNode();
    await fixture.machines.release('node-1', 'rules');
    expect(fixture.fake.servers().map(({ id }) => id)).toEqual([stranger.id, other.id]);
    expect(fixture.machines.all()).toEqual([]);
  });
});

describe('the release of a cloud node', () => {
  it('deletes the server with its firewall and IPs, and ends when all of these are deleted', async () => {
    await readyNode();
    expect(fixture.fake.world.primaryIps.size).toBe(2);
    await fixture.machines.release('node-1', 'rules');
    expect(fixture.fake.servers()).toEqual([]);
    expect(fixture.machines.all()).toEqual([]);
    await fixture.until(() => fixture.fake.world.firewalls.size === 0);
    expect(fixture.fake.world.primaryIps.size).toBe(0);
  });

  it('does nothing for a node that does not exist', async () => {
    await readyNode();
    await Promise.all([
      fixture.machines.release('node-1', 'rules'),
      fixture.machines.release('node-1', 'rules'),
    ]);
    await fixture.machines.release('node-1', 'rules');
    await fixture.machines.release('node-77', 'rules');
    expect(fixture.fake.servers()).toEqual([]);
  });

  it('waits while another action locks the server', async () => {
    await readyNode();
    fixture.fake.world.actionMs = 300;
    fixture.fake.powerByHand(NAME, 'reboot');
    await fixture.machines.release('node-1', 'rules');
    expect(fixture.fake.servers()).toEqual([]);
  });

  it('fails while the server is protected, and succeeds after the protection is removed', async () => {
    await readyNode();
    const [server] = fixture.fake.servers();
    if (server === undefined) throw new Error('no server');
    server.protected = true;
    await expect(fixture.machines.release('node-1', 'rules')).rejects.toMatchObject({
      code: 'RELEASE_REFUSED',
    });
    expect(fixture.machine()?.state).toBe('deleting');
    server.protected = false;
    await fixture.until(() => fixture.machines.all().length === 0);
    expect(fixture.fake.servers()).toEqual([]);
  });

  it('is repeated if the answer of the provider was lost or the action has failed', async () => {
    await readyNode();
    fixture.fake.faults.add({ kind: 'answer lost', method: 'DELETE' });
    fixture.fake.faults.failAction('delete_server');
    await fixture.machines.release('node-1', 'rules');
    expect(fixture.fake.servers()).toEqual([]);
  });

  it('finds and deletes the server of an order whose answer was lost', async () => {
    let isOrdered = false;
    // Make the provider unreachable only after the order, because the master sends no order while it knows that the
    // provider is unreachable.
    fixture.fake.faults.choose((method, path) => {
      if (path !== '/servers') return undefined;
      if (method === 'GET') return isOrdered ? { kind: 'cut' } : undefined;
      isOrdered = true;
      return { kind: 'answer lost' };
    });
    await expect(fixture.order()).rejects.toMatchObject({ code: 'PROVIDER_UNREACHABLE' });
    fixture.fake.faults.clear();
    await fixture.machines.release('node-1', 'rules');
    expect(fixture.fake.everOrdered()).toHaveLength(1);
    expect(fixture.fake.servers()).toEqual([]);
  });

  it('also deletes a primary IP that remained', async () => {
    await readyNode();
    for (const ip of fixture.fake.world.primaryIps.values()) ip.autoDelete = false;
    await fixture.machines.release('node-1', 'rules');
    await fixture.until(() => fixture.fake.world.primaryIps.size === 0);
  });

  it('does not touch a primary IP without a label of Overworld', async () => {
    fixture.fake.addServer('web-1');
    for (const ip of fixture.fake.world.primaryIps.values()) ip.autoDelete = false;
    fixture.fake.clock.advance(1_000);
    await fixture.until(() => fixture.fake.servers().every(({ status }) => status === 'running'));
    fixture.fake.deleteByHand('web-1');
    await fixture.until(() => fixture.fake.servers().length === 0);
    const sweeps = (): number => fixture.fake.requests.filter(({ path }) => path === '/primary_ips').length;
    const before = sweeps();
    await fixture.until(() => sweeps() > before + 1);
    expect(fixture.fake.world.primaryIps.size).toBe(2);
  });
});

describe('the number of cloud nodes that did not become ready', () => {
  it('is kept over restarts, and three such nodes in an hour pause further orders', async () => {
    // Use another server type for each order, because the master avoids a failed server type for some time.
    for (const [node, type] of Object.entries({ 'node-1': 'cpx22', 'node-2': 'cpx32' })) {
      await fixture.order({ node, type });
      fixture.machines.countFailure(node, 'it never answered');
      await fixture.machines.release(node, 'rules');
    }
    expect(fixture.machines.supply()?.paused).toBeNull();
    await fixture.stop();
    await fixture.start();
    await fixture.order({ node: 'node-3' }, MACHINE_SEED);
    fixture.machines.countFailure('node-3', 'it never answered');
    const { message, until } = await fixture.until(() => fixture.machines.supply()?.paused);
    expect(message).toContain('3 did not become ready within the last hour');
    expect(until).toBeGreaterThan(fixture.fake.clock.now() + 3_000_000);
    const offers = fixture.machines.supply()?.offers ?? [];
    expect(
      offers.find(({ type, location }) => type === 'cpx22' && location === 'nbg1')?.soldOutUntil,
    ).not.toBeNull();
    fixture.fake.clock.advance(3_700_000);
    await fixture.until(() => fixture.machines.supply()?.paused === null);
  });

  it('doubles the time for which their server type is avoided with each node, although the orders succeed', async () => {
    const { clock } = fixture.fake;
    for (const [node, waitMs] of Object.entries({ 'node-1': 60_000, 'node-2': 120_000 })) {
      await fixture.order({ node });
      fixture.machines.countFailure(node, 'it never answered');
      const offers = fixture.machines.supply()?.offers ?? [];
      const offer = offers.find(({ type, location }) => type === 'cpx22' && location === 'nbg1');
      const until = offer?.soldOutUntil ?? 0;
      expect(Math.round((until - clock.now()) / 10_000) * 10_000).toBe(waitMs);
      clock.advance(waitMs);
    }
  });

  it('includes a failed node only once, even if the node is kept and the master restarts', async () => {
    await fixture.order();
    for (let starts = 0; starts < 3; starts += 1) {
      fixture.machines.countFailure('node-1', 'it never answered');
      await fixture.stop();
      await fixture.start();
    }
    expect(fixture.machines.supply()?.paused).toBeNull();
  });
});

it('the API token appears neither in the log nor in the state file', async () => {
  await readyNode();
  fixture.fake.faults.add({ kind: 'slow', ms: 2_000, method: 'GET', path: /^\/servers$/, times: 3 });
  fixture.fake.faults.add({ kind: 'cut', method: 'DELETE', times: 3 });
  await fixture.until(() => fixture.machines.trouble());
  await fixture.machines.release('node-1', 'rules');
  const { readFile } = await import('node:fs/promises');
  expect(fixture.log.length).toBeGreaterThan(3);
  for (const text of [...fixture.log, await readFile(fixture.statePath, 'utf8')])
    expect(text).not.toContain(fixture.fake.token);
});
