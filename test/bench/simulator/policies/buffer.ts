import type { ActionOf } from '#master/core/action.ts';
import type { ServiceSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import { byTemplate, leavingNodes, requests, type ServiceRules } from './parts.ts';

export interface BufferSettings {
  /** Services to keep ready: a fixed number, or a percentage of the resulting number of services. */
  readonly size: { readonly count: number } | { readonly percent: number };
  /**
   * Interval between two decisions (ms). The setting of Agones is `sync.fixedInterval.seconds`, which is 30 by
   * default.
   */
  readonly syncMs: number;
}

/**
 * Keeps a number of empty services ready per template. This is the Buffer policy of Agones' FleetAutoscaler according
 * to its documentation (sources: README.md).
 *
 * - The number of services is `allocated + buffer`, or `allocated · 100 / (100 − percent)` rounded up, but at least
 *   `minReplicas`.
 * - Services beyond this number are stopped at once: first services that have not started yet, then services on the
 *   nodes with the fewest services (packed).
 *
 * Example: 18 services with players and a buffer of 10 percent → 20 services.
 */
export function bufferRules({ size, syncMs }: BufferSettings): ServiceRules {
  let nextSync = 0;
  return (snapshot) => {
    const alive = byTemplate(snapshot);
    const dead = [...alive.values()].flat().filter((service) => service.unresponsive);
    const stopDead = dead.map(({ id }) => stop(id, 'unhealthy'));
    if (snapshot.now < nextSync) return stopDead;
    nextSync = snapshot.now + syncMs;
    const leaving = leavingNodes(snapshot);
    const onNode = countByNode(snapshot);
    const actions = snapshot.templates.flatMap((template) => {
      const healthy = (alive.get(template.id) ?? []).filter((service) => !service.unresponsive);
      const replicas = healthy.filter((service) => service.state === 'IN_USE' || !leaving.has(service.node));
      const allocated = replicas.filter(({ state }) => state === 'IN_USE').length;
      const minimum = template.config.minimumRunningServers;
      const wanted = Math.max(
        minimum,
        'count' in size
          ? allocated + Math.max(minimum, size.count)
          : Math.ceil((allocated * 100) / (100 - size.percent)),
      );
      const free = replicas.filter(({ state }) => state !== 'IN_USE').sort(byRemoval(onNode));
      return [
        ...requests(template, wanted - replicas.length, `buffer: ${allocated} allocated, ${wanted} wanted`),
        ...free.slice(0, Math.max(0, replicas.length - wanted)).map(({ id }) => stop(id, 'buffer')),
      ];
    });
    return [...stopDead, ...actions];
  };
}

function stop(service: ServiceSnapshot['id'], cause: string): ActionOf<'stop'> {
  return { kind: 'stop', service, cause };
}

function countByNode({ services }: Snapshot): ReadonlyMap<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const { node } of services) counts.set(node, (counts.get(node) ?? 0) + 1);
  return counts;
}

const RANK: Readonly<Record<ServiceSnapshot['state'], number>> = {
  REQUESTED: 0,
  PREPARING: 1,
  STARTING: 2,
  RUNNING: 3,
  IN_USE: 4,
};

function byRemoval(onNode: ReadonlyMap<string | null, number>) {
  return (a: ServiceSnapshot, b: ServiceSnapshot): number =>
    RANK[a.state] - RANK[b.state] ||
    (onNode.get(a.node) ?? 0) - (onNode.get(b.node) ?? 0) ||
    b.requestedAt - a.requestedAt ||
    (a.id < b.id ? -1 : 1);
}
