import { isIPv4 } from 'node:net';
import type { FirewallRule } from '#shared/config/master.ts';
import { toNetwork } from './network.ts';

/** Inbound rule as the provider's API expects it (docs/adr/0018). */
export interface ApiFirewallRule {
  readonly description: string;
  readonly direction: 'in';
  readonly protocol: 'tcp' | 'udp' | 'icmp';
  /** Port or range of ports; missing for icmp. */
  readonly port?: string;
  readonly source_ips: readonly string[];
}

export interface FirewallNeeds {
  /** Rules of the admin: `firewall_rules` of the master configuration. */
  readonly rules: readonly FirewallRule[];
  /** SSH ports of all machines, and of the machine that is ordered next. */
  readonly sshPorts: readonly number[];
  /** Addresses from which the master reaches its nodes; empty if unknown. */
  readonly masters: readonly string[];
  /**
   * Last known source addresses of the balancer's connections and of status pings. They can connect to services even
   * while {@link FirewallNeeds.masters} is empty. Otherwise players would lose access, because services are never
   * open to every address.
   */
  readonly balancers: readonly string[];
  /** Addresses of all nodes. */
  readonly nodes: readonly string[];
}

/**
 * Maximum number of rules per firewall, set by the provider's API. {@link MAX_SOURCES} is the maximum number of
 * addresses per rule.
 */
const MAX_RULES = 50;
const MAX_SOURCES = 100;

const EVERYONE = ['0.0.0.0/0', '::/0'];

/**
 * Ports of services on nodes: from Minecraft's default port up to the ports that the system assigns to outgoing
 * connections.
 */
export const SERVICE_PORTS = '25565-25999';

/**
 * Computes the firewalls of the nodes. They contain the admin's rules and the rules that Overworld itself needs.
 *
 * SSH is open to every address until a node has reported the master's address, and only to the master afterwards. The
 * master does not guess its address, because a wrong guess (for example behind a router) would lock it out. Nodes
 * accept logins with a public key only.
 *
 * Example: one node, one SSH port and no rules of the admin → one firewall with three rules: SSH, services and ping.
 *
 * @returns one list of rules for each firewall; there is at least one firewall, and each node gets all of them
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

/**
 * Returns the description of a firewall rule. Its prefix shows users of the provider's console that Overworld manages
 * the rule.
 */
function describe(what: string): string {
  return `overworld: ${what}`;
}

function toHosts(addresses: readonly string[]): string[] {
  return [...new Set(addresses.map((ip) => toNetwork(`${ip}/${isIPv4(ip) ? 32 : 128}`)))].sort();
}

function chunk<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}

/** Converts rules to a text that is equal for equal rules, so that existing and desired rules can be compared. */
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
