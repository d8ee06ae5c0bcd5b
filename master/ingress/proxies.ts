import type { IngressAccess } from '#master/control/context/ingress-access.ts';
import type { ServiceRecord } from '#master/control/services/records.ts';

/**
 * Whether a service passes players on to others, as far as anybody can tell: its template says so, and its files or the
 * plugin in it do. `isProxy` alone does not: it is on unless somebody switches it off (docs/specification.md#isproxy), and whoever is on a
 * game server that was forgotten that way is on no proxy.
 */
export function isProxyService(
  record: ServiceRecord,
  { proxies, link }: Pick<IngressAccess, 'link' | 'proxies'>,
): boolean {
  if (record.placed?.values.isProxy !== true) return false;
  return proxies.kindOf(record.template) !== null || isHeardAsProxy(record, link);
}

function isHeardAsProxy({ id }: ServiceRecord, link: IngressAccess['link']): boolean {
  const platform = link.heard(id)?.plugin.platform;
  return platform !== undefined && platform !== 'bukkit';
}
