import { isIPv6 } from 'node:net';
import { must } from './run.ts';

/** Firewall rule in the form of Hetzner Cloud's API. Ports are text, `"80"` or `"27000-27100"`. */
export interface FirewallRule {
  readonly direction: 'in' | 'out';
  readonly protocol: string;
  readonly port?: string | null;
  readonly source_ips?: readonly string[];
}

/** Firewall outside of the node, as at a provider. The node cannot see it. */
export class Firewall {
  readonly #table: string;
  readonly #address: string;

  constructor(number: number, address: string) {
    this.#table = `inet firewall${number}`;
    this.#address = address;
  }

  /**
   * Replaces all rules at once. The firewall drops packets that no rule allows. Answers to requests of the node
   * always pass.
   *
   * @param rules null disables the firewall, so that all packets pass
   */
  apply(rules: readonly FirewallRule[] | null): void {
    const remove = `table ${this.#table} {\n}\ndelete table ${this.#table}\n`;
    must('nft', ['-f', '-'], rules === null ? remove : `${remove}${this.#tableOf(rules)}`);
  }

  #tableOf(rules: readonly FirewallRule[]): string {
    const allowed = rules.filter((rule) => rule.direction === 'in').flatMap(statements);
    const jump = `ip daddr ${this.#address} jump node`;
    return [
      `table ${this.#table} {`,
      'chain node {',
      'ct state established,related accept',
      ...allowed,
      'counter drop',
      '}',
      // These chains apply to packets from the hub itself, and to packets between nodes.
      `chain output {\ntype filter hook output priority 0; policy accept;\n${jump}\n}`,
      `chain forward {\ntype filter hook forward priority 0; policy accept;\n${jump}\n}`,
      '}\n',
    ].join('\n');
  }
}

function statements(rule: FirewallRule): string[] {
  const { protocol, port } = rule;
  const what =
    protocol === 'icmp'
      ? 'meta l4proto icmp'
      : port
        ? `${protocol} dport ${port}`
        : `meta l4proto ${protocol}`;
  return (rule.source_ips ?? []).map((source) =>
    source.endsWith('/0')
      ? `meta nfproto ${isIPv6(source.slice(0, -2)) ? 'ipv6' : 'ipv4'} ${what} accept`
      : `${source.includes(':') ? 'ip6' : 'ip'} saddr ${source} ${what} accept`,
  );
}
