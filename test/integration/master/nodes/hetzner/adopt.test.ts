import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BIRTH, CLUSTER, FIRST_HOST_KEY, HetznerStage } from '#test/support/nodes/hetzner-fixture.ts';

let stage: HetznerStage;
beforeEach(async () => {
  stage = await HetznerStage.open();
  await stage.start();
});
afterEach(() => stage.close());

const NAME = 'ow-1234abcd-node-1';
const OTHER_KEY = `SHA256:${'zY9-'.replace('-', '+').repeat(10)}abc`;

/** Orders node-1 and has it become ready. */
async function readyNode(readyAt = 1_795_000_000_000): Promise<void> {
  await stage.order();
  await stage.machines.remember('node-1', { readyAt, hostKeys: [OTHER_KEY] });
}

describe('a master that starts again', () => {
  it('knows its machines before it has asked anybody', async () => {
    await readyNode();
    await stage.stop();
    await stage.start({ wait: false });
    expect(stage.machine()).toMatchObject({ state: 'on', hostKeys: [OTHER_KEY], address: '203.0.113.1' });
    expect(stage.machines.listed()).toBe(false);
    await stage.until(() => stage.machines.listed());
  });

  it('knows all of a machine with an empty state folder, from its labels alone', async () => {
    stage.settings.provider.server_port = 2222;
    await readyNode();
    const before = stage.machine();
    await stage.stop();
    await stage.loseState();
    stage.settings.provider.server_port = 22;
    await stage.start();
    expect(stage.machine()).toEqual({
      ...before,
      state: 'on',
      hourlyPrice: expect.closeTo(19.49 / 624, 2) as number,
    });
    expect(stage.machine()).toMatchObject({
      readyAt: 1_795_000_000_000,
      sshPort: 2222,
      hostKeys: [OTHER_KEY],
    });
    expect(stage.machines.supply()?.nextNumber).toBe(2);
  });

  it('takes over an order that it was killed in, with an empty state folder too', async () => {
    stage.fake.world.actionMs = 60_000;
    const ordering = stage.order().catch((error: unknown) => error);
    await stage.until(() => stage.fake.servers().length === 1);
    await stage.stop();
    await ordering;
    await stage.loseState();
    await stage.start();
    expect(stage.machine()).toMatchObject({ state: 'starting', hostKeys: [FIRST_HOST_KEY], readyAt: null });
    stage.fake.clock.advance(120_000);
    await stage.until(() => stage.machine()?.state === 'on');
    expect(stage.fake.everOrdered()).toHaveLength(1);
  });

  it('goes on to release what it was killed in releasing', async () => {
    await readyNode();
    stage.fake.faults.add({ kind: 'cut', method: 'DELETE', times: 100 });
    const releasing = stage.machines.release('node-1').catch((error: unknown) => error);
    await stage.until(() => stage.machine()?.state === 'deleting');
    await stage.stop();
    await releasing;
    stage.fake.faults.clear();
    await stage.start();
    await stage.until(() => stage.fake.servers().length === 0);
    await stage.until(() => stage.machines.all().length === 0);
  });

  it('keeps all that it knew while the provider cannot be asked, and says so', async () => {
    await readyNode();
    await stage.stop();
    stage.fake.faults.add({ kind: 'bad gateway', times: Infinity });
    await stage.start({ wait: false });
    const trouble = await stage.until(() => stage.machines.trouble());
    expect(trouble).toContain('cannot be asked');
    expect(trouble).toContain('http_502');
    expect(stage.machines.listed()).toBe(false);
    expect(stage.machine()?.state).toBe('on');
    stage.fake.faults.clear();
    await stage.until(() => stage.machines.trouble() === null && stage.machines.listed());
  });

  it('never forgets its machines for a token of another project', async () => {
    await readyNode();
    const other = await HetznerStage.open();
    try {
      other.fake.tokens.set('token-of-another-project', { write: true });
      await stage.stop();
      Object.assign(stage.settings.provider, { api_token: 'token-of-another-project' });
      Object.defineProperty(stage, 'fake', { value: other.fake });
      await stage.start({ wait: false });
      const trouble = await stage.until(() => stage.machines.trouble());
      expect(trouble).toContain('another project');
      expect(stage.machine()?.state).toBe('on');
    } finally {
      await other.close();
    }
  });
});

describe('what people do in the provider’s console', () => {
  it('a deleted server is a machine that is gone', async () => {
    await readyNode();
    stage.fake.deleteByHand(NAME);
    await stage.until(() => stage.machines.all().length === 0);
  });

  it('a server that is switched off is off, and on again when it is on', async () => {
    await readyNode();
    stage.fake.powerByHand(NAME, 'poweroff');
    await stage.until(() => stage.machine()?.state === 'off');
    stage.fake.powerByHand(NAME, 'poweron');
    await stage.until(() => stage.machine()?.state === 'on');
  });

  it('labels that were taken off are put back, and those of others stay', async () => {
    await readyNode();
    const [server] = stage.fake.servers();
    if (server === undefined) throw new Error('no server');
    server.labels = { team: 'network' };
    await stage.until(() => server.labels['overworld/cluster'] === CLUSTER);
    expect(server.labels).toMatchObject({
      team: 'network',
      'overworld/node': 'node-1',
      'overworld/ready': '1795000000',
    });
    expect(stage.machine()?.state).toBe('on');
  });

  it('a renamed server stays the machine that it was', async () => {
    await readyNode();
    const [server] = stage.fake.servers();
    if (server === undefined) throw new Error('no server');
    server.name = 'my-favourite';
    await stage.machines.release('node-1');
    expect(stage.fake.servers()).toEqual([]);
  });

  it('a second server for the same node is deleted after a grace time, and the first one lives', async () => {
    await readyNode();
    const [first] = stage.fake.servers();
    stage.fake.addServer('copy', { ...first?.labels });
    stage.fake.clock.advance(60_000);
    await stage.until(() => stage.fake.servers().length === 1);
    expect(stage.fake.servers()[0]?.id).toBe(first?.id);
  });

  it('a second server is kept while configure mode is on', async () => {
    await readyNode();
    const [first] = stage.fake.servers();
    stage.fake.addServer('copy', { ...first?.labels });
    stage.settings.provider.configure_mode = true;
    stage.fake.clock.advance(60_000);
    await stage.until(() => stage.log.some((line) => line.includes('"copy"')));
    expect(stage.fake.servers()).toHaveLength(2);
    stage.settings.provider.configure_mode = false;
    await stage.until(() => stage.fake.servers().length === 1);
  });

  it('a server with the label of the network and no node is left alone', async () => {
    const stranger = stage.fake.addServer('experiment', { 'overworld/cluster': CLUSTER });
    const other = stage.fake.addServer('web-1');
    stage.fake.clock.advance(600_000);
    await stage.until(() => stage.log.some((line) => line.includes('"experiment"')));
    await readyNode();
    await stage.machines.release('node-1');
    expect(stage.fake.servers().map(({ id }) => id)).toEqual([stranger.id, other.id]);
    expect(stage.machines.all()).toEqual([]);
  });
});

describe('a release', () => {
  it('deletes the server, its firewall and its IPs, and waits until they are gone', async () => {
    await readyNode();
    expect(stage.fake.world.primaryIps.size).toBe(2);
    await stage.machines.release('node-1');
    expect(stage.fake.servers()).toEqual([]);
    expect(stage.machines.all()).toEqual([]);
    await stage.until(() => stage.fake.world.firewalls.size === 0);
    expect(stage.fake.world.primaryIps.size).toBe(0);
  });

  it('of a machine that is gone, or never was, is fine', async () => {
    await readyNode();
    await Promise.all([stage.machines.release('node-1'), stage.machines.release('node-1')]);
    await stage.machines.release('node-1');
    await stage.machines.release('node-77');
    expect(stage.fake.servers()).toEqual([]);
  });

  it('waits for a server that is locked', async () => {
    await readyNode();
    stage.fake.world.actionMs = 300;
    stage.fake.powerByHand(NAME, 'reboot');
    await stage.machines.release('node-1');
    expect(stage.fake.servers()).toEqual([]);
  });

  it('tells that a server is protected, and deletes it once it is not', async () => {
    await readyNode();
    const [server] = stage.fake.servers();
    if (server === undefined) throw new Error('no server');
    server.protected = true;
    await expect(stage.machines.release('node-1')).rejects.toMatchObject({ code: 'RELEASE_REFUSED' });
    expect(stage.machine()?.state).toBe('deleting');
    server.protected = false;
    await stage.until(() => stage.machines.all().length === 0);
    expect(stage.fake.servers()).toEqual([]);
  });

  it('is made again when its answer was lost or its action failed', async () => {
    await readyNode();
    stage.fake.faults.add({ kind: 'answer lost', method: 'DELETE' });
    stage.fake.faults.failAction('delete_server');
    await stage.machines.release('node-1');
    expect(stage.fake.servers()).toEqual([]);
  });

  it('of an order that nobody answered finds what became of it', async () => {
    stage.fake.faults.add({ kind: 'answer lost', method: 'POST', path: /^\/servers$/ });
    stage.fake.faults.add({ kind: 'cut', method: 'GET', path: /^\/servers$/, times: 100 });
    await expect(stage.order()).rejects.toMatchObject({ code: 'PROVIDER_UNREACHABLE' });
    stage.fake.faults.clear();
    await stage.machines.release('node-1');
    expect(stage.fake.everOrdered()).toHaveLength(1);
    expect(stage.fake.servers()).toEqual([]);
  });

  it('sweeps a primary IP that was left over', async () => {
    await readyNode();
    for (const ip of stage.fake.world.primaryIps.values()) ip.autoDelete = false;
    await stage.machines.release('node-1');
    await stage.until(() => stage.fake.world.primaryIps.size === 0);
  });

  it('leaves IPs of others alone', async () => {
    stage.fake.addServer('web-1');
    for (const ip of stage.fake.world.primaryIps.values()) ip.autoDelete = false;
    stage.fake.clock.advance(1_000);
    await stage.until(() => stage.fake.servers().every(({ status }) => status === 'running'));
    stage.fake.deleteByHand('web-1');
    await stage.until(() => stage.fake.servers().length === 0);
    const sweeps = (): number => stage.fake.requests.filter(({ path }) => path === '/primary_ips').length;
    const before = sweeps();
    await stage.until(() => sweeps() > before + 1);
    expect(stage.fake.world.primaryIps.size).toBe(2);
  });
});

describe('machines that do not become ready', () => {
  it('are counted over restarts, avoided, and end in a pause after three within an hour', async () => {
    for (const node of ['node-1', 'node-2']) {
      await stage.order({ node });
      stage.machines.countFailure(node, 'it never answered');
      await stage.machines.release(node);
    }
    expect(stage.machines.supply()?.paused).toBeNull();
    await stage.stop();
    await stage.start();
    await stage.order({ node: 'node-3' }, BIRTH);
    stage.machines.countFailure('node-3', 'it never answered');
    const { message, until } = await stage.until(() => stage.machines.supply()?.paused);
    expect(message).toContain('3 did not become ready within the last hour');
    expect(until).toBeGreaterThan(stage.fake.clock.now() + 3_000_000);
    const offers = stage.machines.supply()?.offers ?? [];
    expect(
      offers.find(({ type, location }) => type === 'cpx22' && location === 'nbg1')?.soldOutUntil,
    ).not.toBeNull();
    stage.fake.clock.advance(3_700_000);
    await stage.until(() => stage.machines.supply()?.paused === null);
  });
});

it('the token stands in no log line, state file or error', async () => {
  await readyNode();
  stage.fake.faults.add({ kind: 'slow', ms: 2_000, method: 'GET', path: /^\/servers$/, times: 3 });
  stage.fake.faults.add({ kind: 'cut', method: 'DELETE', times: 3 });
  await stage.until(() => stage.machines.trouble());
  await stage.machines.release('node-1');
  const { readFile } = await import('node:fs/promises');
  expect(stage.log.length).toBeGreaterThan(3);
  for (const text of [...stage.log, await readFile(stage.statePath, 'utf8')])
    expect(text).not.toContain(stage.fake.token);
});
