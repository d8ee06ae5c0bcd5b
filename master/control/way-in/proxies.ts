import { softwareFamily } from '#shared/link/software.ts';
import type { Parts } from '../parts.ts';
import type { ServiceRecord } from '../records.ts';

type Known = Pick<Parts, 'templates' | 'link'>;

/**
 * Whether a service passes players on to others, as far as anybody can tell: its template says so, and its jar or the
 * plugin in it does. `isProxy` alone does not: it is on unless somebody switches it off (spec 2.1), and whoever is on a
 * game server that was forgotten that way is on no proxy.
 */
export function isProxyService(record: ServiceRecord, { templates, link }: Known): boolean {
  if (record.placed?.values.isProxy !== true) return false;
  return (
    isProxySoftware(templates.state(record.template).jar?.software ?? null) || isHeardAsProxy(record, link)
  );
}

/** A `server.jar` of a proxy that Overworld knows. */
export function isProxySoftware(software: string | null): boolean {
  const family = softwareFamily(software);
  return family === 'velocity' || family === 'bungeecord';
}

function isHeardAsProxy({ id }: ServiceRecord, link: Known['link']): boolean {
  const platform = link.heard(id)?.plugin.platform;
  return platform !== undefined && platform !== 'bukkit';
}
