import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { CLUSTER, FIRST_HOST_KEY, HetznerStage } from '#test/support/nodes/hetzner-fixture.ts';

let stage: HetznerStage;
beforeEach(async () => {
  stage = await HetznerStage.open();
  await stage.start();
});
afterEach(() => stage.close());

const NAME = 'ow-1234abcd-node-1';

describe('an order', () => {
  it('is a server with the labels of the network, its firewall, the newest Debian and the user data', async () => {
    stage.fake.addSshKey('admin', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE0 admin');
    stage.settings.provider.ssh_keys.push('admin');
    await stage.order();
    const [server] = stage.fake.servers();
    expect(server).toMatchObject({ name: NAME, status: 'running', location: 'nbg1' });
    expect(server?.type.name).toBe('cpx22');
    expect(server?.image).toMatchObject({ name: 'debian-13', architecture: 'x86' });
    expect(server?.userData).toBe('#cloud-config\nhostname: node\n');
    expect(server?.sshKeys).toHaveLength(1);
    expect(server?.labels).toMatchObject({
      'overworld/cluster': CLUSTER,
      'overworld/node': 'node-1',
      'overworld/ssh-port': '22',
    });
    const [firewall] = [...stage.fake.world.firewalls.values()];
    expect(server?.firewalls).toEqual([firewall?.id]);
    await stage.until(() => stage.machine()?.state === 'on');
    expect(stage.machine()).toMatchObject({
      address: '203.0.113.1',
      type: 'cpx22',
      ramMb: 3676,
      cores: 2,
      hostKeys: [FIRST_HOST_KEY],
      readyAt: null,
      sshPort: 22,
    });
  });

  it('costs what server and IPv4 cost together', async () => {
    await stage.order();
    expect(stage.machine()?.hourlyPrice).toBeCloseTo((19.49 + 0.5) / 624, 3);
  });

  it('is listed from the call on, and its number is never used again', async () => {
    // Long enough to be seen, and in time.
    stage.fake.faults.add({ kind: 'slow', ms: 500, method: 'POST', path: /^\/servers$/ });
    const ordering = stage.order();
    await stage.until(() => stage.machine()?.state === 'ordered');
    expect(stage.machines.supply()?.nextNumber).toBe(2);
    await ordering;
    await stage.machines.release('node-1');
    expect(stage.machines.all()).toEqual([]);
    await stage.stop();
    await stage.start();
    expect(stage.machines.supply()?.nextNumber).toBe(2);
  });

  it('takes the Arm image for an Arm type', async () => {
    await stage.order({ type: 'cax21' });
    expect(stage.fake.servers()[0]?.image.architecture).toBe('arm');
  });
});

describe('an order whose answer is lost', () => {
  it.each([
    ['the connection breaks after it was taken', { kind: 'answer lost' }],
    ['a gateway says 502 after it was taken', { kind: 'bad gateway', after: true }],
    ['500 without a body after it was taken', { kind: 'empty 500', after: true }],
    ['the answer cannot be read', { kind: 'unreadable' }],
    ['the answer comes too late', { kind: 'slow', ms: 1_500 }],
  ] as const)('is found again and not made twice: %s', async (_, fault) => {
    stage.fake.faults.add({ ...fault, method: 'POST', path: /^\/servers$/ });
    await stage.order();
    expect(stage.fake.everOrdered()).toHaveLength(1);
    await stage.until(() => stage.machine()?.state === 'on');
  });

  it.each([
    ['the connection breaks before it was taken', { kind: 'cut' }],
    ['a gateway says 502 before it was taken', { kind: 'bad gateway' }],
    ['500 without a body before it was taken', { kind: 'empty 500' }],
    ['too many requests', { kind: 'refuse', status: 429, code: 'rate_limit_exceeded' }],
    ['a conflict', { kind: 'refuse', status: 409, code: 'conflict' }],
  ] as const)('is made again under the same name: %s', async (_, fault) => {
    stage.fake.faults.add({ ...fault, method: 'POST', path: /^\/servers$/, times: 2 });
    await stage.order();
    expect(stage.fake.everOrdered().map(({ name }) => name)).toEqual([NAME]);
  });

  it('is forgotten after a grace time when nobody ever took it', async () => {
    stage.fake.faults.add({ kind: 'cut', method: 'POST', path: /^\/servers$/, times: 100 });
    await expect(stage.order()).rejects.toMatchObject({ code: 'PROVIDER_UNREACHABLE' });
    expect(stage.machine()?.state).toBe('ordered');
    stage.fake.faults.clear();
    stage.fake.clock.advance(60_000);
    await stage.until(() => stage.machines.all().length === 0);
    expect(stage.fake.everOrdered()).toEqual([]);
  });

  it('leaves a server of somebody else with the same name alone', async () => {
    const stranger = stage.fake.addServer(NAME, { team: 'web' });
    await stage.order();
    const ours = stage.fake.servers().find(({ id }) => id !== stranger.id);
    expect(ours?.name).toMatch(/^ow-1234abcd-node-1-[0-9a-f]{4}$/);
    await stage.machines.release('node-1');
    expect(stage.fake.servers().map(({ id }) => id)).toEqual([stranger.id]);
  });
});

describe('an order that is refused', () => {
  it('leaves the pair alone for a while when it is sold out', async () => {
    stage.fake.world.stock.sellOut('cpx22', 'nbg1');
    await expect(stage.order()).rejects.toMatchObject({ code: 'ORDER_REFUSED' });
    expect(stage.machines.all()).toEqual([]);
    const offers = stage.machines.supply()?.offers ?? [];
    const pair = (type: string) => offers.find((offer) => offer.type === type && offer.location === 'nbg1');
    expect(pair('cpx22')?.soldOutUntil).toBeGreaterThan(stage.fake.clock.now());
    expect(pair('cpx32')?.soldOutUntil).toBeNull();
  });

  it('pauses all orders at the limit of the account, with what to do', async () => {
    stage.fake.world.limits.servers = 0;
    await expect(stage.order()).rejects.toMatchObject({ code: 'ORDER_REFUSED' });
    const { message = '', until = 0 } = stage.machines.supply()?.paused ?? {};
    expect(message).toContain('server limit exceeded');
    expect(message).toContain('higher limit');
    expect(until).toBeGreaterThan(stage.fake.clock.now());
    const posts = (): number => stage.fake.requests.filter(({ method }) => method === 'POST').length;
    const before = posts();
    await expect(stage.order({ node: 'node-2' })).rejects.toMatchObject({ code: 'ORDER_REFUSED' });
    expect(posts()).toBe(before);
  });

  it('pauses when the token may only read, until there is another one', async () => {
    stage.fake.tokens.set('read-only', { write: false }).set('other', { write: true });
    stage.settings.provider.api_token = 'read-only';
    await stage.until(() => stage.machines.supply());
    await expect(stage.order()).rejects.toMatchObject({ code: 'ORDER_REFUSED' });
    expect(stage.machines.supply()?.paused?.message).toContain('read and write');
    stage.settings.provider.api_token = 'other';
    await stage.until(() => stage.machines.supply()?.paused === null);
    await stage.order();
    expect(stage.fake.servers()).toHaveLength(1);
  });

  it('is paused for a moment when its firewall was deleted by hand, and has a new one then', async () => {
    await stage.order();
    await stage.until(() => stage.machines.trouble() === null);
    stage.fake.faults.add({
      kind: 'refuse',
      status: 404,
      code: 'not_found',
      method: 'POST',
      path: /^\/servers$/,
    });
    await expect(stage.order({ node: 'node-2' })).rejects.toMatchObject({ code: 'ORDER_REFUSED' });
    expect(stage.machines.supply()?.paused).not.toBeNull();
    stage.fake.world.firewalls.clear();
    stage.fake.clock.advance(60_000);
    await stage.order({ node: 'node-3' });
    const [firewall] = [...stage.fake.world.firewalls.keys()];
    expect(stage.fake.servers().at(-1)?.firewalls).toEqual([firewall]);
  });

  it('names the SSH key that is missing, and asks for no server', async () => {
    stage.settings.provider.ssh_keys.push('admin');
    await expect(stage.order()).rejects.toThrow('no SSH key named "admin"');
    expect(stage.fake.requests.some(({ method, path }) => method === 'POST' && path === '/servers')).toBe(
      false,
    );
    expect(stage.machines.all()).toEqual([]);
  });

  it('is not even begun in configure mode', async () => {
    stage.settings.provider.configure_mode = true;
    await expect(stage.order()).rejects.toThrow('configure mode is on');
    expect(stage.fake.everOrdered()).toEqual([]);
  });

  it('is given up, and leaves nothing, when configure mode is switched on while it is being prepared', async () => {
    const other = await HetznerStage.open({
      onRequest: ({ path }) => {
        if (path.startsWith('/images')) other.settings.provider.configure_mode = true;
      },
    });
    onTestFinished(() => other.close());
    await other.start();
    await expect(other.order()).rejects.toThrow('configure mode is on');
    expect(other.fake.everOrdered()).toEqual([]);
    expect(other.machines.all()).toEqual([]);
  });

  it.each(['create_server', 'start_server'])('is deleted when %s fails', async (command) => {
    stage.fake.faults.failAction(command);
    await expect(stage.order()).rejects.toMatchObject({ code: 'ORDER_REFUSED' });
    await stage.until(() => stage.fake.servers().length === 0);
    await stage.until(() => stage.machines.all().length === 0);
  });
});
