import type { IngressAccess } from '#master/control/context/ingress-access.ts';
import type { ServiceRecord } from '#master/control/services/records.ts';

/**
 * Reports whether a service is a proxy, as far as is known: its template says so, and so do its files or its
 * plugin. `isProxy` alone is not enough, as it is on by default (docs/specification.md#isproxy): players on a game
 * server that is configured that way by mistake are on no proxy.
 */
export function isProxyService(
  record: ServiceRecord,
  { proxies, link }: Pick<IngressAccess, 'link' | 'proxies'>,
): boolean {
  if (record.placed?.values.isProxy !== true) return false;
  return proxies.kindOf(record.template) !== null || isHeardAsProxy(record, link);
}

function isHeardAsProxy({ id }: ServiceRecord, link: IngressAccess['link']): boolean {
  const platform = link.reportOf(id)?.plugin.platform;
  return platform !== undefined && platform !== 'bukkit';
}
