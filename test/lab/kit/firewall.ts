import { isIPv6 } from 'node:net';
import { must } from './run.ts';

/** One rule as Hetzner Cloud's API has it; ports as text, `"80"` or `"27000-27100"`. */
export interface FirewallRule {
  readonly direction: 'in' | 'out';
  readonly protocol: string;
  readonly port?: string | null;
  readonly source_ips?: readonly string[];
}

/** What every packet to a node passes outside of the node, as at a provider: the node itself knows nothing of it. */
export class Firewall {
  readonly #table: string;
  readonly #address: string;

  constructor(number: number, address: string) {
    this.#table = `inet firewall${number}`;
    this.#address = address;
  }

  /**
   * Replaces all rules at once: what none allows is dropped. Answers to what the node asked for always pass.
   *
   * @param rules null: no firewall, everything passes
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
      // From the hub itself, and from node to node.
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
