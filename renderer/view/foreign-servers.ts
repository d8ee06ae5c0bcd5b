import type { ForeignServer } from '#shared/model/foreign-server.ts';
import { toMoney } from './format/money.ts';
import { toCountOf } from './format/numbers.ts';

/** The servers of one other network. */
export interface ForeignNetwork {
  readonly id: string;
  readonly servers: readonly ForeignServer[];
}

/** Groups servers by their network. The order of the list is kept. */
export function groupByNetwork(servers: readonly ForeignServer[]): readonly ForeignNetwork[] {
  const ids = [...new Set(servers.map(({ network }) => network))];
  return ids.map((id) => ({ id, servers: servers.filter(({ network }) => network === id) }));
}

/**
 * Returns the first part of a network's id, which is also part of its servers' names.
 *
 * Example: `1234abcd-0000-4000-8000-000000000001` gives `1234abcd`.
 */
export function toShortId(network: string): string {
  return network.slice(0, 8);
}

/**
 * Returns the title of a network's servers with their price per hour.
 *
 * Example: `3 servers of network 1234abcd, €0.096 / h`.
 */
export function foreignTitle({ id, servers }: ForeignNetwork): string {
  const perHour = servers.reduce((sum, { hourlyPrice }) => sum + hourlyPrice, 0);
  return `${toCountOf(servers.length, 'server')} of network ${toShortId(id)}, ${toMoney(perHour)} / h`;
}

/**
 * Returns the text that a person must type before these servers of one network are deleted: the name of the server if
 * there is only one, otherwise the network's short id. Empty without servers.
 */
export function toConfirmation(servers: readonly ForeignServer[]): string {
  const [first] = servers;
  if (first === undefined) return '';
  return servers.length === 1 ? first.name : toShortId(first.network);
}
