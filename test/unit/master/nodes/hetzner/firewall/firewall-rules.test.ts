import { describe, expect, it } from 'vitest';
import {
  computeFirewalls,
  toComparable,
  type FirewallNeeds,
} from '#master/nodes/hetzner/firewall/firewall-rules.ts';

function needs(change: Partial<FirewallNeeds> = {}): FirewallNeeds {
  const nodes = ['203.0.113.1'];
  return { rules: [], sshPorts: [22], masters: ['198.51.100.1'], balancers: [], nodes, ...change };
}

/** Returns the allowed sources of each port in the first firewall. */
function openings(change: Partial<FirewallNeeds> = {}): Record<string, readonly string[]> {
  const [first = []] = computeFirewalls(needs(change));
  return Object.fromEntries(
    first.map(({ protocol, port = '', source_ips }) => [`${protocol} ${port}`.trim(), source_ips]),
  );
}

describe('computeFirewalls (firewall rules at the provider)', () => {
  it('opens the SSH port to the master, and the service ports to master and nodes', () => {
    expect(openings()).toEqual({
      'tcp 22': ['198.51.100.1/32'],
      'tcp 25565-25999': ['198.51.100.1/32', '203.0.113.1/32'],
      icmp: ['0.0.0.0/0', '::/0'],
    });
  });

  it("opens only the SSH port, to everyone, while the master's address is unknown", () => {
    const open = openings({ masters: [], nodes: [] });
    expect(open['tcp 22']).toEqual(['0.0.0.0/0', '::/0']);
    expect(open).not.toHaveProperty('tcp 25565-25999');
  });

  it('also opens the SSH ports of older nodes after server_port was changed', () => {
    expect(Object.keys(openings({ sshPorts: [2222, 22, 2222] }))).toEqual(
      expect.arrayContaining(['tcp 22', 'tcp 2222']),
    );
  });

  it('adds the rules of the admin, by default for TCP and for everyone', () => {
    const open = openings({
      rules: [
        { port: '8123', protocol: 'tcp' },
        { port: '19132-19140', protocol: 'udp', source_ips: ['10.0.0.7/24'] },
        { port: '9100', source_ips: ['2001:DB8::1/128'] },
      ],
    });
    expect(open).toMatchObject({
      'tcp 8123': ['0.0.0.0/0', '::/0'],
      'udp 19132-19140': ['10.0.0.0/24'],
      'tcp 9100': ['2001:db8::1/128'],
    });
  });

  it('splits a rule after 100 sources, and a firewall after 50 rules', () => {
    const nodes = Array.from({ length: 150 }, (_, i) => `10.0.${i}.1`);
    const rules = Array.from({ length: 50 }, (_, i) => ({
      port: String(1000 + i),
      protocol: 'tcp' as const,
    }));
    const lists = computeFirewalls(needs({ nodes, rules }));
    expect(lists).toHaveLength(2);
    for (const list of lists) expect(list.length).toBeLessThanOrEqual(50);
    const all = lists.flat();
    for (const { source_ips } of all) expect(source_ips.length).toBeLessThanOrEqual(100);
    const peers = all.filter(({ port }) => port === '25565-25999').flatMap(({ source_ips }) => source_ips);
    expect(new Set(peers).size).toBe(151);
    expect(all.filter(({ description }) => description.includes('firewall_rules'))).toHaveLength(50);
  });
});

describe('toComparable (normalizes firewall rules for a comparison)', () => {
  it('ignores that the provider writes the same rule differently', () => {
    const [wanted = []] = computeFirewalls(needs());
    const told = wanted.toReversed().map(({ direction, protocol, port, source_ips }) => ({
      direction,
      protocol,
      port: port ?? null,
      source_ips: source_ips.toReversed(),
      destination_ips: [],
    }));
    expect(toComparable(told)).toBe(toComparable(wanted));
  });

  it('detects an added, a removed or a widened rule', () => {
    const [wanted = []] = computeFirewalls(needs());
    const [first, ...rest] = wanted;
    if (first === undefined) throw new Error('no rule');
    expect(toComparable(rest)).not.toBe(toComparable(wanted));
    expect(toComparable([...wanted, { ...first, port: '80' }])).not.toBe(toComparable(wanted));
    expect(toComparable([{ ...first, source_ips: ['0.0.0.0/0'] }, ...rest])).not.toBe(toComparable(wanted));
  });
});
