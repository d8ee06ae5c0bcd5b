import type { BalancerView, PlayerEntry } from '#shared/model/player-entry.ts';
import { formatPairs, formatTable } from './table.ts';

const words: Record<BalancerView['state'], (view: BalancerView) => string> = {
  absent: () => 'none on this machine',
  foreign: ({ configPath }) =>
    `${configPath} has no Overworld section, so it is not managed; to add one: overworld-master balancer adopt`,
  working: ({ entries }) => `works, ${entries.length} ${entries.length === 1 ? 'proxy' : 'proxies'}`,
  trouble: ({ error }) => error?.message ?? 'unknown problem',
};

/** Returns the state of the player entry as pairs of name and value. */
export function playerEntryPairs({
  join,
  problems,
  balancer,
  link,
}: PlayerEntry): readonly (readonly [string, string])[] {
  const { listening, error, plugins } = link;
  const linked = `${plugins} ${plugins === 1 ? 'plugin' : 'plugins'} linked`;
  const at = listening === null ? 'not listening' : `${toAddress(listening)}, ${linked}`;
  return [
    ['Players join', join.map(toAddress).join(', ') || 'no proxy accepts players now'],
    ...problems.map(({ message }) => ['Problem', message] as const),
    ['Load balancer', words[balancer.state](balancer)],
    ['Plugin link', error?.message ?? at],
  ];
}

/** Returns the state of the player entry as lines, including the proxies of the load balancer. */
export function playerEntryLines(playerEntry: PlayerEntry): string {
  const pairs = formatPairs(playerEntryPairs(playerEntry));
  const { entries } = playerEntry.balancer;
  if (entries.length === 0) return pairs;
  const rows = entries.map(({ service, state, connections }) => [service, state, connections]);
  return `${pairs}\n\n${formatTable(['PROXY', 'STATE', 'CONNECTIONS'], rows)}`;
}

/** Returns `host:port`, with brackets around an IPv6 host. */
export function toAddress({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
