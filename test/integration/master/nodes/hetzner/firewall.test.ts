import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RequestNote } from '#test/fake/hetzner/http/http-core.ts';
import type { FakeMachine } from '#test/fake/hetzner/world/machine-hooks.ts';
import type { FirewallRecord } from '#test/fake/hetzner/world/world.ts';
import { HetznerFixture } from '#test/support/nodes/hetzner-fixture.ts';

let fixture: HetznerFixture;
/** Inbound rules of each server at its creation, by server name. */
let atBirth: Map<string, FakeMachine['inbound']>;
let onRequest: (note: RequestNote) => void;
beforeEach(async () => {
  atBirth = new Map();
  onRequest = () => undefined;
  fixture = await HetznerFixture.open({
    onRequest: (note) => onRequest(note),
    hooks: {
      onCreate: (machine) => {
        atBirth.set(machine.name, machine.inbound);
        return Promise.resolve();
      },
    },
  });
  await fixture.start();
});
afterEach(() => fixture.close());

const NAME = 'ow-1234abcd-node-1';

function firewall(name = 'ow-1234abcd'): FirewallRecord | undefined {
  return [...fixture.fake.world.firewalls.values()].find((one) => one.name === name);
}

/** Returns the sources from which a node's firewall currently allows connections to a port. */
function sources(port: string, name = NAME): readonly string[] {
  return (fixture.fake.machine(name).inbound ?? [])
    .filter((rule) => rule.port === port)
    .flatMap(({ source_ips }) => source_ips);
}

describe('the firewall of the cloud nodes', () => {
  it('exists before the first node boots, and later allows SSH only from the address of the master', async () => {
    await fixture.order();
    expect(atBirth.get(NAME)?.find(({ port }) => port === '22')?.source_ips).toEqual(['0.0.0.0/0', '::/0']);
    fixture.machines.allowMaster(['198.51.100.7'], true);
    await fixture.until(() => sources('22').join() === '198.51.100.7/32');
    expect(sources('25565-25999')).toEqual(['198.51.100.7/32', '203.0.113.1/32']);
    await fixture.order({ node: 'node-2' });
    expect(atBirth.get('ow-1234abcd-node-2')?.find(({ port }) => port === '22')?.source_ips).toEqual([
      '198.51.100.7/32',
    ]);
    expect(sources('25565-25999')).toContain('203.0.113.2/32');
    await fixture.machines.release('node-2', 'rules');
    await fixture.until(() => !sources('25565-25999').includes('203.0.113.2/32'));
  });

  it('allows SSH from the known address after a restart, and from all addresses if a node does not answer', async () => {
    await fixture.order();
    fixture.machines.allowMaster(['198.51.100.7'], true);
    await fixture.until(() => sources('22').join() === '198.51.100.7/32');
    await fixture.stop();
    await fixture.start();
    await fixture.until(() => fixture.machines.trouble() === null && fixture.machines.listed());
    expect(sources('22')).toEqual(['198.51.100.7/32']);
    fixture.machines.countFailure('node-1', 'it never answered');
    await fixture.until(() => sources('22').includes('0.0.0.0/0'));
  });

  it.each([
    {
      name: 'the address is in doubt because a node never answered',
      doubt: () => fixture.machines.countFailure('node-1', 'it never answered'),
    },
    { name: 'no node is reachable', doubt: () => fixture.machines.allowMaster([], false) },
  ])('lets balancer and pings reach services while $name', async ({ doubt }) => {
    await fixture.order();
    fixture.machines.allowMaster(['198.51.100.7'], true);
    await fixture.until(() => sources('22').join() === '198.51.100.7/32');
    doubt();
    await fixture.until(() => sources('22').includes('0.0.0.0/0'));
    expect(sources('25565-25999')).toEqual(['198.51.100.7/32', '203.0.113.1/32']);
  });

  it('limits SSH to the master again, half an hour after a node did not answer', async () => {
    await fixture.order();
    fixture.machines.allowMaster(['198.51.100.7'], true);
    fixture.machines.countFailure('node-1', 'it never answered');
    await fixture.until(() => sources('22').includes('0.0.0.0/0'));
    fixture.fake.clock.advance(1_800_000);
    await fixture.until(() => sources('22').join() === '198.51.100.7/32');
  });

  it('opens services to known addresses of the master, and SSH to everyone while the master may have others', async () => {
    await fixture.order();
    fixture.machines.allowMaster(['198.51.100.7'], false);
    await fixture.until(() => sources('25565-25999').includes('198.51.100.7/32'));
    expect(sources('22')).toEqual(['0.0.0.0/0', '::/0']);
    fixture.machines.allowMaster(['198.51.100.7'], true);
    await fixture.until(() => sources('22').join() === '198.51.100.7/32');
    fixture.machines.allowMaster([], false);
    await fixture.until(() => sources('22').includes('0.0.0.0/0'));
    expect(sources('25565-25999')).toContain('198.51.100.7/32');
  });

  it('allows SSH from all addresses while no node is reachable, until a node reports the new address', async () => {
    await fixture.order();
    fixture.machines.allowMaster(['198.51.100.7'], true);
    await fixture.until(() => sources('22').join() === '198.51.100.7/32');
    fixture.machines.allowMaster([], false);
    await fixture.until(() => sources('22').includes('0.0.0.0/0'));
    await fixture.stop();
    await fixture.start();
    fixture.fake.clock.advance(86_400_000);
    await fixture.until(() => fixture.machines.listed());
    expect(sources('22')).toContain('0.0.0.0/0');
    fixture.machines.allowMaster(['198.51.100.9'], true);
    await fixture.until(() => sources('22').join() === '198.51.100.9/32');
  });

  it('also allows SSH from the configured address of the master', async () => {
    Object.assign(fixture.settings, { masterAddress: '198.51.100.8' });
    await fixture.order();
    fixture.machines.allowMaster(['198.51.100.7'], true);
    await fixture.until(() => sources('22').join() === '198.51.100.7/32,198.51.100.8/32');
  });

  it('changes after a change of firewall_rules and server_port', async () => {
    await fixture.order();
    Object.assign(fixture.settings, { firewallRules: [{ port: '19132', protocol: 'udp' }] });
    fixture.settings.provider.server_port = 2222;
    await fixture.until(() => sources('19132').length > 0 && sources('2222').length > 0);
    expect(sources('22')).not.toEqual([]);
  });

  it('is restored after it was changed, deleted or removed from a node', async () => {
    await fixture.order();
    const mine = firewall();
    const [server] = fixture.fake.servers();
    if (mine === undefined || server === undefined) throw new Error('nothing was ordered');
    const { rules } = mine;
    mine.rules = [];
    await fixture.until(() => mine.rules.length === rules.length);
    server.firewalls = [];
    await fixture.until(() => server.firewalls.includes(mine.id));
    server.firewalls = [];
    fixture.fake.world.firewalls.delete(mine.id);
    await fixture.until(() => firewall() !== undefined && server.firewalls.includes(firewall()?.id ?? 0));
  });

  it('gets a second firewall if it needs more rules than one firewall can have', async () => {
    await fixture.order();
    const firewallRules = Array.from({ length: 50 }, (_, i) => ({ port: String(1000 + i), protocol: 'tcp' }));
    Object.assign(fixture.settings, { firewallRules });
    await fixture.until(() => sources('1049').length > 0 && sources('1000').length > 0);
    expect(fixture.fake.servers()[0]?.firewalls).toHaveLength(2);
    Object.assign(fixture.settings, { firewallRules: [] });
    await fixture.until(() => firewall('ow-1234abcd-2')?.rules.length === 0);
    await fixture.machines.release('node-1', 'rules');
    await fixture.until(() => fixture.fake.world.firewalls.size === 0);
  });

  it('is not created twice if the answer of the provider is lost', async () => {
    fixture.fake.faults.add({ kind: 'answer lost', method: 'POST', path: /^\/firewalls$/ });
    await fixture.order();
    expect(fixture.fake.world.firewalls.size).toBe(1);
  });

  it('is not created if another firewall has the same name, and the order fails', async () => {
    const { world } = fixture.fake;
    const theirs = { id: 7, name: 'ow-1234abcd', created: 0, labels: {}, rules: [], selectors: [] };
    world.firewalls.set(7, theirs);
    await expect(fixture.order()).rejects.toThrow(
      'has a firewall "ow-1234abcd" that does not belong to this network',
    );
    expect(fixture.fake.everOrdered()).toEqual([]);
    expect(fixture.machines.all()).toEqual([]);
    expect(world.firewalls.get(7)).toBe(theirs);
  });
});

describe("the provider's rate limit", () => {
  it('delays an order until requests are allowed again, but the order does not fail', async () => {
    fixture.fake.bucket.drainTo(0);
    onRequest = ({ status }) => {
      if (status === 429) fixture.fake.bucket.drainTo(500);
    };
    await fixture.order();
    expect(fixture.fake.requests.some(({ status }) => status === 429)).toBe(true);
    expect(fixture.fake.everOrdered()).toHaveLength(1);
  });
});

describe('a list that the provider returns in several pages', () => {
  it('is read completely', async () => {
    for (let i = 1; i <= 60; i += 1) {
      fixture.fake.addServer(`ow-1234abcd-node-${i}`, {
        'overworld/cluster': '1234abcd-0000-4000-8000-000000000001',
        'overworld/node': `node-${i}`,
      });
    }
    await fixture.until(() => fixture.machines.all().length === 60);
    expect(fixture.machines.supply()?.nextNumber).toBe(61);
  });
});
