import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NO_API_TOKEN } from '#shared/config/secret.ts';
import { CLUSTER, FIRST_HOST_KEY, HetznerFixture } from '#test/support/nodes/hetzner-fixture.ts';
import { waitFor } from '#test/support/wait-for.ts';

let fixture: HetznerFixture;
beforeEach(async () => {
  fixture = await HetznerFixture.open();
  await fixture.start();
});
afterEach(() => fixture.close());

const NAME = 'ow-1234abcd-node-1';

describe('the order of a cloud node', () => {
  it('creates a server with labels and firewall of the network, the newest Debian image and user data', async () => {
    fixture.fake.addSshKey('admin', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE0 admin');
    fixture.settings.provider.ssh_keys.push('admin');
    await fixture.order();
    const [server] = fixture.fake.servers();
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
    const [firewall] = [...fixture.fake.world.firewalls.values()];
    expect(server?.firewalls).toEqual([firewall?.id]);
    await fixture.until(() => fixture.machine()?.state === 'on');
    expect(fixture.machine()).toMatchObject({
      address: '203.0.113.1',
      type: 'cpx22',
      ramMb: 3676,
      cores: 2,
      hostKeys: [FIRST_HOST_KEY],
      readyAt: null,
      sshPort: 22,
    });
  });

  it('costs the price of the server and the price of its IPv4 address', async () => {
    await fixture.order();
    expect(fixture.machine()?.hourlyPrice).toBeCloseTo((19.49 + 0.5) / 624, 3);
  });

  it('is unconfirmed until the provider has created its server', async () => {
    const seen: unknown[] = [];
    const observed = await HetznerFixture.open({
      onRequest: ({ method, path }) => {
        if (method === 'POST' && path === '/servers') seen.push(observed.machine()?.isUnconfirmed);
      },
    });
    onTestFinished(() => observed.close());
    await observed.start();
    await observed.order();
    expect(seen).toEqual([true]);
    expect(observed.machine()?.isUnconfirmed).toBe(false);
  });

  it('adds the node to the list at once, and never uses a node number twice', async () => {
    // This delay is long enough for the test to observe the order, and short enough for the request to succeed.
    fixture.fake.faults.add({ kind: 'slow', ms: 500, method: 'POST', path: /^\/servers$/ });
    const ordering = fixture.order();
    await fixture.until(() => fixture.machine()?.state === 'ordered');
    expect(fixture.machines.supply()?.nextNumber).toBe(2);
    await ordering;
    await fixture.machines.release('node-1', 'rules');
    expect(fixture.machines.all()).toEqual([]);
    await fixture.stop();
    await fixture.start();
    expect(fixture.machines.supply()?.nextNumber).toBe(2);
  });

  it('is refused while the provider is asked again after it did not answer', async () => {
    fixture.fake.faults.add({ kind: 'slow', ms: 60_000, path: /^\/servers$/, times: Infinity });
    await fixture.until(() => fixture.machines.supply()?.paused?.until === null);
    await expect(fixture.order()).rejects.toMatchObject({ code: 'ORDER_REFUSED' });
    expect(fixture.machine()).toBeUndefined();
  });

  it('uses the Arm image for a server type with Arm', async () => {
    await fixture.order({ type: 'cax21' });
    expect(fixture.fake.servers()[0]?.image.architecture).toBe('arm');
  });
});

describe('an order whose answer is lost', () => {
  it.each([
    ['the connection breaks after the order was accepted', { kind: 'answer lost' }],
    ['a gateway answers 502 after the order was accepted', { kind: 'bad gateway', after: true }],
    ['500 without a body after the order was accepted', { kind: 'empty 500', after: true }],
    ['the answer is not readable', { kind: 'unreadable' }],
    ['the answer comes too late', { kind: 'slow', ms: 1_500 }],
  ] as const)('adopts the server that it has created, and creates no second server: %s', async (_, fault) => {
    fixture.fake.faults.add({ ...fault, method: 'POST', path: /^\/servers$/ });
    await fixture.order();
    expect(fixture.fake.everOrdered()).toHaveLength(1);
    await fixture.until(() => fixture.machine()?.state === 'on');
  });

  it.each([
    ['the connection breaks before the order was accepted', { kind: 'cut' }],
    ['a gateway answers 502 before the order was accepted', { kind: 'bad gateway' }],
    ['500 without a body before the order was accepted', { kind: 'empty 500' }],
    ['too many requests', { kind: 'refuse', status: 429, code: 'rate_limit_exceeded' }],
    ['a conflict', { kind: 'refuse', status: 409, code: 'conflict' }],
  ] as const)('is repeated with the same server name, and creates one server: %s', async (_, fault) => {
    fixture.fake.faults.add({ ...fault, method: 'POST', path: /^\/servers$/, times: 2 });
    await fixture.order();
    expect(fixture.fake.everOrdered().map(({ name }) => name)).toEqual([NAME]);
  });

  it('is given up after a grace period if the provider has never received it', async () => {
    fixture.fake.faults.add({ kind: 'cut', method: 'POST', path: /^\/servers$/, times: 100 });
    await expect(fixture.order()).rejects.toMatchObject({ code: 'PROVIDER_UNREACHABLE' });
    expect(fixture.machine()?.state).toBe('ordered');
    fixture.fake.faults.clear();
    fixture.fake.clock.advance(60_000);
    await fixture.until(() => fixture.machines.all().length === 0);
    expect(fixture.fake.everOrdered()).toEqual([]);
  });

  describe("for a server that is missing in the provider's list at first", () => {
    let late: HetznerFixture;
    beforeEach(async () => {
      // Hide the server from each search by name, and show it to each order. So the order finds that its name is in
      // use.
      late = await HetznerFixture.open({
        onRequest: ({ method, path, query }) => {
          const [server] = late.fake.everOrdered();
          if (server === undefined) return;
          if (method === 'POST' && path === '/servers') server.name = 'hidden';
          if (method === 'GET' && query.includes('name=ow-')) server.name = NAME;
        },
      });
      await late.start();
      late.fake.faults.add({ kind: 'answer lost', method: 'POST', path: /^\/servers$/ });
    });
    afterEach(() => late.close());

    it.each([
      ['the name is in use', []],
      ['a limit is reached', [{ kind: 'refuse', status: 403, code: 'resource_limit_exceeded' }]],
    ] as const)(
      'adopts the server after the provider has refused another attempt because %s',
      async (_, faults) => {
        for (const fault of faults) late.fake.faults.add({ ...fault, method: 'POST', path: /^\/servers$/ });
        await expect(late.order()).rejects.toMatchObject({ code: 'PROVIDER_UNREACHABLE' });
        expect(late.machine()?.state).toBe('ordered');
        const ids = late.fake.everOrdered().map(({ id }) => id);
        await late.until(() => late.machine()?.state === 'on');
        expect(late.fake.servers().map(({ id }) => id)).toEqual(ids);
      },
    );
  });

  it('is kept while the provider refuses the search for the server', async () => {
    let posts = 0;
    fixture.fake.faults.choose((method, path) => {
      if (path !== '/servers') return undefined;
      if (method === 'POST') return (posts += 1) === 1 ? { kind: 'answer lost' } : undefined;
      return posts === 0 ? undefined : { kind: 'refuse', status: 403, code: 'forbidden' };
    });
    await expect(fixture.order()).rejects.toMatchObject({ code: 'PROVIDER_UNREACHABLE' });
    expect(fixture.machine()?.state).toBe('ordered');
    fixture.fake.faults.clear();
    await fixture.until(() => fixture.machine()?.state === 'on');
    expect(fixture.fake.everOrdered()).toHaveLength(1);
  });

  it('costs money from the creation of its server, even if the master finds the server only during the release', async () => {
    let posts = 0;
    fixture.fake.faults.choose((method, path) => {
      if (path !== '/servers') return undefined;
      if (method !== 'POST')
        return posts === 0 ? undefined : { kind: 'refuse', status: 403, code: 'forbidden' };
      fixture.fake.clock.advance(2_000);
      return (posts += 1) === 1 ? { kind: 'answer lost' } : undefined;
    });
    const orderedAt = fixture.fake.clock.now();
    await expect(fixture.order()).rejects.toMatchObject({ code: 'PROVIDER_UNREACHABLE' });
    expect(fixture.machine()).toMatchObject({ state: 'ordered', isUnconfirmed: true });
    fixture.fake.faults.clear();
    fixture.fake.faults.add({ kind: 'cut', method: 'DELETE', times: Infinity });
    const released = fixture.machines.release('node-1', 'user');
    expect(fixture.machine()?.isUnconfirmed).toBe(true);
    await waitFor(() => Promise.resolve(fixture.machine()?.isUnconfirmed === false));
    expect(fixture.machine()).toMatchObject({ state: 'deleting' });
    expect(fixture.machine()?.since).toBeGreaterThanOrEqual(orderedAt + 1_000);
    fixture.fake.faults.clear();
    await released;
    expect(fixture.machines.all()).toEqual([]);
  });

  it('adopts the server if another attempt finds that its name is in use', async () => {
    // The first order arrives at the provider only after the search for its server.
    const slow = await HetznerFixture.open({
      onRequest: ({ method, query }) => {
        if (method !== 'GET' || !query.includes('name=ow-') || slow.fake.everOrdered().length > 0) return;
        slow.fake.addServer(NAME, { 'overworld/cluster': CLUSTER, 'overworld/node': 'node-1' });
      },
    });
    onTestFinished(() => slow.close());
    await slow.start();
    slow.fake.faults.add({ kind: 'cut', method: 'POST', path: /^\/servers$/ });
    await slow.order();
    expect(slow.machine()?.state).toBe('on');
    expect(slow.fake.everOrdered().map(({ name }) => name)).toEqual([NAME]);
  });

  it('does not touch a server of another owner with the same name', async () => {
    const stranger = fixture.fake.addServer(NAME, { team: 'web' });
    await fixture.order();
    const ours = fixture.fake.servers().find(({ id }) => id !== stranger.id);
    expect(ours?.name).toMatch(/^ow-1234abcd-node-1-[0-9a-f]{4}$/);
    await fixture.machines.release('node-1', 'rules');
    expect(fixture.fake.servers().map(({ id }) => id)).toEqual([stranger.id]);
  });
});

describe('an order that cannot be carried out', () => {
  it('excludes a server type for some time in the location where it is sold out', async () => {
    fixture.fake.world.stock.sellOut('cpx22', 'nbg1');
    await expect(fixture.order()).rejects.toMatchObject({ code: 'ORDER_REFUSED' });
    expect(fixture.machines.all()).toEqual([]);
    const offers = fixture.machines.supply()?.offers ?? [];
    const pair = (type: string) => offers.find((offer) => offer.type === type && offer.location === 'nbg1');
    expect(pair('cpx22')?.soldOutUntil).toBeGreaterThan(fixture.fake.clock.now());
    expect(pair('cpx32')?.soldOutUntil).toBeNull();
  });

  it('pauses all orders at the server limit of the account, and the message advises to raise the limit', async () => {
    fixture.fake.world.limits.servers = 0;
    await expect(fixture.order()).rejects.toMatchObject({ code: 'ORDER_REFUSED' });
    const { message = '', until = 0 } = fixture.machines.supply()?.paused ?? {};
    expect(message).toContain('server limit exceeded');
    expect(message).toContain('higher limit');
    expect(until).toBeGreaterThan(fixture.fake.clock.now());
    const posts = (): number => fixture.fake.requests.filter(({ method }) => method === 'POST').length;
    const before = posts();
    await expect(fixture.order({ node: 'node-2' })).rejects.toMatchObject({ code: 'ORDER_REFUSED' });
    expect(posts()).toBe(before);
  });

  it('pauses all orders if the API token can only read, until another token is set', async () => {
    fixture.fake.tokens.set('read-only', { write: false }).set('other', { write: true });
    fixture.settings.provider.api_token = 'read-only';
    await fixture.until(() => fixture.machines.supply());
    await expect(fixture.order()).rejects.toMatchObject({ code: 'ORDER_REFUSED' });
    expect(fixture.machines.supply()?.paused?.message).toContain('read and write');
    fixture.settings.provider.api_token = 'other';
    await fixture.until(() => fixture.machines.supply()?.paused === null);
    await fixture.order();
    expect(fixture.fake.servers()).toHaveLength(1);
  });

  it('pauses orders briefly if the firewall was deleted by hand, and then creates a new firewall', async () => {
    await fixture.order();
    await fixture.until(() => fixture.machines.trouble() === null);
    fixture.fake.faults.add({
      kind: 'refuse',
      status: 404,
      code: 'not_found',
      method: 'POST',
      path: /^\/servers$/,
    });
    await expect(fixture.order({ node: 'node-2' })).rejects.toMatchObject({ code: 'ORDER_REFUSED' });
    expect(fixture.machines.supply()?.paused).not.toBeNull();
    fixture.fake.world.firewalls.clear();
    fixture.fake.clock.advance(60_000);
    await fixture.order({ node: 'node-3' });
    const [firewall] = [...fixture.fake.world.firewalls.keys()];
    expect(fixture.fake.servers().at(-1)?.firewalls).toEqual([firewall]);
  });

  it('is not sent if an SSH key is missing at the provider, and the error names this key', async () => {
    fixture.settings.provider.ssh_keys.push('admin');
    await expect(fixture.order()).rejects.toThrow('no SSH key named "admin"');
    expect(fixture.fake.requests.some(({ method, path }) => method === 'POST' && path === '/servers')).toBe(
      false,
    );
    expect(fixture.machines.all()).toEqual([]);
  });

  it('is refused in configure mode before a request is sent', async () => {
    fixture.settings.provider.configure_mode = true;
    await expect(fixture.order()).rejects.toThrow('configure mode is on');
    expect(fixture.fake.everOrdered()).toEqual([]);
  });

  it('is cancelled without a node or server if configure mode is switched on during its preparation', async () => {
    const other = await HetznerFixture.open({
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

  it('keeps its server if the provider refuses to tell whether the server is ready', async () => {
    fixture.fake.faults.choose((_, path) => {
      const isRefused = path === '/actions' && fixture.fake.everOrdered().length > 0;
      return isRefused ? { kind: 'refuse', status: 429, code: 'rate_limit_exceeded' } : undefined;
    });
    await expect(fixture.order()).rejects.toMatchObject({ code: 'PROVIDER_UNREACHABLE' });
    fixture.fake.faults.clear();
    await fixture.until(() => fixture.machine()?.state === 'on');
    expect(fixture.fake.servers()).toHaveLength(1);
  });

  it('keeps its server if the API token is removed while the server is being created', async () => {
    const other = await HetznerFixture.open({
      onRequest: ({ method, path }) => {
        if (method === 'POST' && path === '/servers') other.settings.provider.api_token = NO_API_TOKEN;
      },
    });
    onTestFinished(() => other.close());
    await other.start();
    await other.order();
    expect(other.machine()?.state).toBe('on');
  });

  it('does not pause further orders if the earlier token becomes invalid after another token was set', async () => {
    fixture.fake.world.actionMs = 20_000;
    const ordering = fixture.order().catch((error: unknown) => error);
    await fixture.until(() => fixture.fake.servers().length === 1);
    fixture.fake.tokens.set('other', { write: true }).delete(fixture.fake.token);
    fixture.settings.provider.api_token = 'other';
    expect(await ordering).toMatchObject({ code: 'PROVIDER_UNREACHABLE' });
    // Less than the pause after an order that failed.
    fixture.fake.clock.advance(40_000);
    await fixture.until(() => fixture.machine()?.state === 'on');
    await fixture.until(() => fixture.machines.trouble() === null && fixture.machines.supply());
    expect(fixture.machines.supply()?.paused).toBeNull();
  });

  it.each(['create_server', 'start_server'])(
    'deletes the server again if the action %s fails',
    async (command) => {
      fixture.fake.faults.failAction(command);
      await expect(fixture.order()).rejects.toMatchObject({ code: 'ORDER_REFUSED' });
      await fixture.until(() => fixture.fake.servers().length === 0);
      await fixture.until(() => fixture.machines.all().length === 0);
    },
  );
});
