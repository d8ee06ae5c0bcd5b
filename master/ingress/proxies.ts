import type { IngressAccess } from './ingress-access.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';

/**
 * Reports whether a service is known to be a proxy. Its template must be configured as a proxy, and its files or its
 * plugin must confirm this. `isProxy` alone is not enough, because it is on by default
 * (docs/specification.md#isproxy), and a game server may be configured as a proxy by mistake.
 */
export function isProxyService(
  record: ServiceRecord,
  { proxies, link }: Pick<IngressAccess, 'link' | 'proxies'>,
): boolean {
  if (record.placed?.values.isProxy !== true) return false;
  return proxies.kindOf(record.template) !== null || hasProxyPlugin(record, link);
}

/**
 * Time within which the plugin of a proxy connects to the master, from when the proxy came up or was adopted (ms). It
 * is longer than the time for which a new proxy lets players wait for the connection (`Admission.java`).
 */
const LINKED_WITHIN_MS = 20_000;

/**
 * Reports whether a proxy has Overworld's plugin, but the plugin has never connected to a master. The plugin then has
 * no slots of `max_online_players`, so it rejects all players. If players are on the proxy, the proxy has not loaded
 * the plugin, so it needs no link.
 */
export function needsLink(record: ServiceRecord, known: Pick<IngressAccess, 'link' | 'proxies'>): boolean {
  const hasPlugin = (record.placed?.given.plugin ?? null) !== null;
  if (!hasPlugin || record.players.online > 0) return false;
  return isProxyService(record, known) && !known.link.hasLinked(record.id);
}

/**
 * Reports whether the plugin of a proxy has failed to connect: the proxy {@link needsLink needs it} for more than 20 s.
 * Examples: its node cannot reach the plugin link, or the proxy cannot load the plugin.
 */
export function isUnlinked(
  record: ServiceRecord,
  known: Pick<IngressAccess, 'link' | 'proxies'> & Pick<Environment, 'now'>,
): boolean {
  const { upAt, adoptedAt } = record;
  if (upAt === null && adoptedAt === null) return false;
  const sinceMs = known.now() - Math.max(upAt ?? 0, adoptedAt ?? 0);
  return sinceMs > LINKED_WITHIN_MS && needsLink(record, known);
}

function hasProxyPlugin({ id }: ServiceRecord, link: IngressAccess['link']): boolean {
  const platform = link.reportOf(id)?.plugin.platform;
  return platform !== undefined && platform !== 'bukkit';
}
