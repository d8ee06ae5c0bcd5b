import { firewallRuleSchema } from '#shared/config/master.ts';
import { z } from 'zod';
import type { EntryInput } from '../../view/form/form-model.ts';

const cidr = z.union([z.cidrv4(), z.cidrv6()]);
const address = z.union([z.ipv4(), z.ipv6()]);

/**
 * Returns what is wrong with a source of a firewall rule. Undefined if it is valid. For an address without a prefix
 * length, the text says how to write it.
 */
export function sourceProblem(text: string): string | undefined {
  if (cidr.safeParse(text).success) return undefined;
  if (!address.safeParse(text).success) return 'Is not an address in CIDR notation, such as 203.0.113.7/32';
  return `Write ${text}/${text.includes(':') ? 128 : 32} for this one address`;
}

/** Returns what is wrong with the port of a firewall rule. Undefined if it is valid. */
export function portProblem(text: string): string | undefined {
  if (firewallRuleSchema.shape.port.safeParse(text).success) return undefined;
  return text === '' ? 'Is missing' : 'Enter a port from 1 to 65535, or a range such as 25565-25600';
}

/**
 * Returns what is wrong with a firewall rule as a whole. Undefined if it is valid.
 *
 * @param earlier the rules above it
 */
export function ruleProblem(rule: EntryInput, earlier: readonly EntryInput[]): string | undefined {
  if (rule['protocol'] === '' && sourcesOf(rule).length === 0) return 'Needs a protocol or sources';
  const same = earlier.findIndex((other) => sameRule(other) === sameRule(rule));
  return same < 0 ? undefined : `Is the same as rule ${same + 1}`;
}

/** Returns the sources of a firewall rule; empty if it has none. */
export function sourcesOf(rule: EntryInput): readonly string[] {
  const sources = rule['source_ips'];
  return typeof sources === 'object' ? sources : [];
}

/**
 * Returns a text that is equal for rules with the same effect: a missing protocol means tcp, and the sequence of the
 * sources makes no difference.
 */
function sameRule(rule: EntryInput): string {
  const protocol = rule['protocol'] === '' ? 'tcp' : rule['protocol'];
  return JSON.stringify([rule['port'], protocol, [...sourcesOf(rule)].sort()]);
}
