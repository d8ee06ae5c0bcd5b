import { firewallRuleSchema } from '#shared/config/master.ts';
import { z } from 'zod';
import type { EntryInput } from '../../view/form/form-model.ts';

const cidr = z.union([z.cidrv4(), z.cidrv6()]);
const address = z.union([z.ipv4(), z.ipv6()]);

/**
 * Returns a message if a source of a firewall rule is invalid. Undefined if the source is valid. For an address
 * without a prefix length, the message says how to write it.
 */
export function sourceProblem(text: string): string | undefined {
  if (cidr.safeParse(text).success) return undefined;
  if (!address.safeParse(text).success) return 'Is not an address in CIDR notation, such as 203.0.113.7/32';
  return `Write ${text}/${text.includes(':') ? 128 : 32} for this one address`;
}

/** Returns a message if the port of a firewall rule is invalid. Undefined if the port is valid. */
export function portProblem(text: string): string | undefined {
  if (firewallRuleSchema.shape.port.safeParse(text).success) return undefined;
  return text === '' ? 'Is missing' : 'Enter a port from 1 to 65535, or a range such as 25565-25600';
}

/**
 * Returns a message if a firewall rule as a whole is invalid. Undefined if the rule is valid.
 *
 * @param earlier the rules above this rule
 */
export function ruleProblem(rule: EntryInput, earlier: readonly EntryInput[]): string | undefined {
  if (rule['protocol'] === '' && sourcesOf(rule).length === 0) return 'Needs a protocol or sources';
  const same = earlier.findIndex((other) => sameRule(other) === sameRule(rule));
  return same < 0 ? undefined : `Is the same as rule ${same + 1}`;
}

/** Returns the sources of a firewall rule. Empty if the rule has no sources. */
export function sourcesOf(rule: EntryInput): readonly string[] {
  const sources = rule['source_ips'];
  return typeof sources === 'object' ? sources : [];
}

/**
 * Returns a text that is the same for rules with the same effect. A missing protocol means tcp. The order of the
 * sources does not matter.
 */
function sameRule(rule: EntryInput): string {
  const protocol = rule['protocol'] === '' ? 'tcp' : rule['protocol'];
  return JSON.stringify([rule['port'], protocol, [...sourcesOf(rule)].sort()]);
}
