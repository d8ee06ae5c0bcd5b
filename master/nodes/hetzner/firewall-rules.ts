import { isIPv4 } from 'node:net';
import type { FirewallRule } from '#shared/config/master.ts';
import { toNetwork } from './network.ts';

/** An inbound rule as the API takes it (docs/adr/0018). */
export interface ApiFirewallRule {
  readonly description: string;
  readonly direction: 'in';
  readonly protocol: 'tcp' | 'udp' | 'icmp';
  /** Left out with icmp. */
  readonly port?: string;
  readonly source_ips: readonly string[];
}

export interface FirewallNeeds {
  /** `firewall_rules` of the master configuration. */
  readonly rules: readonly FirewallRule[];
  /** SSH ports of all machines, and of the next. */
  readonly sshPorts: readonly number[];
  /** Addresses from which the master reaches its nodes; empty: nobody knows them yet. */
  readonly masters: readonly string[];
  /**
   * From where the balancer and status pings come, as last known. Not only as long as {@link FirewallNeeds.masters} are
   * sure: nobody opens services to everyone, so a doubt must not take them from their players.
   */
  readonly balancers: readonly string[];
  /** Addresses of all nodes. */
  readonly nodes: readonly string[];
}

/** The API's limits. */
const MAX_RULES = 50;
const MAX_SOURCES = 100;

const EVERYONE = ['0.0.0.0/0', '::/0'];

/** Ports of services on nodes: Minecraft's own and what follows, outside of what systems hand out at random. */
export const SERVICE_PORTS = '25565-25999';

/**
 * What firewalls the nodes need: the admin's rules, and what the cloud itself needs. SSH is open to the master alone as
 * soon as a node has told from where it is reached; until then to everyone, as an address that is wrong by a proxy or
 * a router in between would lock the master out. Nodes take public keys only.
 *
 * @returns one list of rules for each firewall, at least one; all of them are applied to each node
 */
export function computeFirewalls(needs: FirewallNeeds): ApiFirewallRule[][] {
  const { rules, sshPorts, masters, balancers, nodes } = needs;
  const peers = toHosts([...masters, ...balancers, ...nodes]);
  const known = toHosts(masters);
  const all: ApiFirewallRule[] = [
    ...[...new Set(sshPorts)]
      .sort((a, b) => a - b)
      .map((port) =>
        rule('SSH from the master', { port: String(port), sources: known.length === 0 ? EVERYONE : known }),
      ),
    ...chunk(peers, MAX_SOURCES).map((sources) =>
      rule('services, from the balancer and from proxies', { port: SERVICE_PORTS, sources }),
    ),
    { ...icmp, description: describe('ping') },
    ...rules.map(({ port, protocol = 'tcp', source_ips }) =>
      rule('firewall_rules', { port, protocol, sources: (source_ips ?? EVERYONE).map(toNetwork) }),
    ),
  ];
  return chunk(all, MAX_RULES);
}

const icmp = { direction: 'in', protocol: 'icmp', source_ips: EVERYONE } as const;

function rule(
  what: string,
  { port, protocol = 'tcp', sources }: { port: string; protocol?: 'tcp' | 'udp'; sources: readonly string[] },
): ApiFirewallRule {
  const source_ips = [...new Set(sources)].sort();
  return { description: describe(what), direction: 'in', protocol, port, source_ips };
}

/** So that people who see it in the provider's console know that their change would not last. */
function describe(what: string): string {
  return `overworld: ${what}`;
}

function toHosts(addresses: readonly string[]): string[] {
  return [...new Set(addresses.map((ip) => toNetwork(`${ip}/${isIPv4(ip) ? 32 : 128}`)))].sort();
}

function chunk<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}

/** The part of a rule that decides, in one form: to compare what is set with what is wanted. */
export function toComparable(rules: readonly ComparableRule[]): string {
  return JSON.stringify(
    rules
      .map(({ direction, protocol, port, source_ips = [], destination_ips = [] }) =>
        JSON.stringify([
          direction,
          protocol,
          port ?? null,
          source_ips.map(toNetwork).sort(),
          destination_ips.map(toNetwork).sort(),
        ]),
      )
      .sort(),
  );
}

interface ComparableRule {
  readonly direction: string;
  readonly protocol: string;
  readonly port?: string | null | undefined;
  readonly source_ips?: readonly string[];
  readonly destination_ips?: readonly string[];
}
