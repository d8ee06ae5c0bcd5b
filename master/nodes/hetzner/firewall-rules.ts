import { isIPv4 } from 'node:net';
import type { FirewallRule } from '#shared/config/master.ts';
import { toNetwork } from './network.ts';

/** Inbound rule in the form of the API (docs/adr/0018). */
export interface ApiFirewallRule {
  readonly description: string;
  readonly direction: 'in';
  readonly protocol: 'tcp' | 'udp' | 'icmp';
  /** Absent for icmp. */
  readonly port?: string;
  readonly source_ips: readonly string[];
}

export interface FirewallNeeds {
  /** `firewall_rules` of the master configuration. */
  readonly rules: readonly FirewallRule[];
  /** SSH ports of all machines and of the next one. */
  readonly sshPorts: readonly number[];
  /** Addresses from which the master reaches its nodes; empty if unknown. */
  readonly masters: readonly string[];
  /**
   * Last known addresses of the balancer and of status pings. They are kept even while {@link
   * FirewallNeeds.masters} is empty: services are never opened to everyone, so an uncertain address must not cut
   * off players.
   */
  readonly balancers: readonly string[];
  /** Addresses of all nodes. */
  readonly nodes: readonly string[];
}

/** The API's limits. */
const MAX_RULES = 50;
const MAX_SOURCES = 100;

const EVERYONE = ['0.0.0.0/0', '::/0'];

/** Ports of services on nodes: from Minecraft's default port on, below the ephemeral range. */
export const SERVICE_PORTS = '25565-25999';

/**
 * Computes the firewalls of the nodes: the admin's rules and the rules that Overworld itself needs. SSH is open
 * only to the master once a node has reported its address, and to everyone until then, because an address made
 * wrong by a proxy or a router would lock the master out. Nodes accept only public keys.
 *
 * Example: without any rules of the admin the result is a single firewall.
 *
 * @returns one list of rules per firewall, at least one; all of them are applied to each node
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

/** Adds a note for users of the provider's console that their changes would be overwritten. */
function describe(what: string): string {
  return `overworld: ${what}`;
}

function toHosts(addresses: readonly string[]): string[] {
  return [...new Set(addresses.map((ip) => toNetwork(`${ip}/${isIPv4(ip) ? 32 : 128}`)))].sort();
}

function chunk<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}

/** Returns the relevant parts of rules in a canonical form, in order to compare actual with wanted rules. */
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
