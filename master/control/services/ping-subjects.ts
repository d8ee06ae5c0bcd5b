import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import { pingTargetOf, type PingSubject } from '#master/state/pings/pinger.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';

type Known = Pick<NodeAccess, 'registry'> & Pick<ServiceStores, 'records'> & Pick<IngressAccess, 'link'>;

/** Returns all services that can be pinged: those whose address is known. */
export function pingSubjects(known: Known): PingSubject[] {
  const silentNodes = new Set(
    known.registry.nodes().flatMap(({ id, silentSince }) => (silentSince === null ? [] : [id])),
  );
  return known.records.all.flatMap((record) => {
    const target = pingTargetOf(record);
    if (target === null) return [];
    const startingSince = record.state === 'STARTING' && record.stopping === null ? record.since : null;
    // Pings to an unreachable node stay frequent, because they help to decide whether the node is lost.
    const isReached = record.node !== null && !silentNodes.has(record.node);
    return [{ target, startingSince, linked: isReached && isCountedByPlugin(record, known) }];
  });
}

/** Reports whether a linked plugin reports the players of the service, so that pings need not count them. */
function isCountedByPlugin({ id }: ServiceRecord, { link }: Pick<Known, 'link'>): boolean {
  const report = link.reportOf(id);
  if (report?.plugin.state !== 'linked') return false;
  return report.plugin.platform !== 'bukkit' || report.count !== null;
}
