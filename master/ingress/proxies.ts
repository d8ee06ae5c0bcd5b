import type { IngressAccess } from './ingress-access.ts';
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

function hasProxyPlugin({ id }: ServiceRecord, link: IngressAccess['link']): boolean {
  const platform = link.reportOf(id)?.plugin.platform;
  return platform !== undefined && platform !== 'bukkit';
}
