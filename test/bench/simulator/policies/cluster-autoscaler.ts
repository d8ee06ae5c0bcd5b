import type { Action } from '#master/core/action.ts';
import type { NodeSnapshot, ServiceSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import { Bins, type Bin } from './bins.ts';
import type { NodeRules } from './parts.ts';

export interface ClusterAutoscalerSettings {
  /** Value of `--scan-interval` (ms). */
  readonly scanMs: number;
  /** Value of `--scale-down-utilization-threshold`, 0–1. */
  readonly utilisation: number;
  /** Value of `--scale-down-unneeded-time` (ms). */
  readonly unneededMs: number;
  /** Value of `--scale-down-delay-after-add` (ms). */
  readonly delayAfterAddMs: number;
  /**
   * Rule for the node on which a service starts. `packed`: of the nodes with enough room, the node with the least
   * room. `spread`: the node with the fewest services of the template.
   */
  readonly placing: 'packed' | 'spread';
}

/** Default values in the documentation of the Kubernetes cluster-autoscaler. */
export const CLUSTER_AUTOSCALER_DEFAULTS: Omit<ClusterAutoscalerSettings, 'placing'> = {
  scanMs: 10_000,
  utilisation: 0.5,
  unneededMs: 600_000,
  delayAfterAddMs: 600_000,
};

/**
 * Orders a node when a requested service fits on no node. Deletes nodes that were not needed for ten minutes. A node
 * is not needed if it is less than half full, if none of its services is in use, and if other nodes have room for all
 * its services. These are the rules of the Kubernetes cluster-autoscaler according to its documentation, if services
 * in use cannot be evicted (sources: README.md).
 */
export function clusterAutoscalerRules(settings: ClusterAutoscalerSettings): NodeRules {
  const unneededSince = new Map<string, number>();
  let [nextScan, lastAdd] = [0, -Infinity];
  return (snapshot) => {
    const bins = new Bins(snapshot);
    const { actions, pending } = startPending(snapshot, bins, settings.placing);
    actions.push(...deleteEmptied(snapshot, bins));
    if (snapshot.now < nextScan) return actions;
    nextScan = snapshot.now + settings.scanMs;
    const orders = orderFor(pending, snapshot, bins);
    if (orders.length > 0) lastAdd = snapshot.now;
    const idle = unneeded(snapshot, bins, settings.utilisation);
    for (const id of unneededSince.keys()) if (!idle.has(id)) unneededSince.delete(id);
    for (const id of idle.keys()) if (!unneededSince.has(id)) unneededSince.set(id, snapshot.now);
    if (orders.length > 0 || snapshot.now - lastAdd < settings.delayAfterAddMs)
      return [...actions, ...orders];
    const due = [...idle].filter(
      ([id]) => snapshot.now - (unneededSince.get(id) ?? snapshot.now) >= settings.unneededMs,
    );
    return [...actions, ...removals(due)];
  };
}

type NodeAction = ReturnType<NodeRules>[number];

function startPending(
  { services, templates }: Snapshot,
  bins: Bins,
  placing: ClusterAutoscalerSettings['placing'],
): { readonly actions: NodeAction[]; readonly pending: ServiceSnapshot[] } {
  const priority = new Map(templates.map(({ id, config }) => [id, config.priority]));
  const queue = services
    .filter(({ state, stopping }) => state === 'REQUESTED' && !stopping)
    .sort(
      (a, b) =>
        (priority.get(a.template) ?? 0) - (priority.get(b.template) ?? 0) || a.requestedAt - b.requestedAt,
    );
  const actions: NodeAction[] = [];
  const pending: ServiceSnapshot[] = [];
  for (const service of queue) {
    const bin = bins.choose(service, placing);
    if (bin === 'none') pending.push(service);
    if (bin === 'none' || bin === 'budget') continue;
    bins.put(service, bin);
    actions.push({ kind: 'start', service: service.id, node: bin.node.id, cause: placing });
  }
  return { actions, pending };
}

/**
 * Orders nodes for services that fit neither on READY nodes nor on nodes that are already ordered. The largest
 * services come first.
 */
function orderFor(pending: readonly ServiceSnapshot[], snapshot: Snapshot, bins: Bins): NodeAction[] {
  const { market, nodes } = snapshot;
  const offer = market?.offers
    .filter(({ soldOutUntil, deprecated }) => soldOutUntil === null && !deprecated)
    .sort((a, b) => a.hourlyPrice / a.ramMb - b.hourlyPrice / b.ramMb)[0];
  if (market === null || offer === undefined) return [];
  const onTheWay = nodes.filter(({ state }) => state === 'ORDERED' || state === 'BOOTING');
  const free = [...onTheWay.map(({ ramMb }) => ramMb), ...bins.freeOfOpen()];
  const orders: NodeAction[] = [];
  for (const { ramMb } of [...pending].sort((a, b) => b.ramMb - a.ramMb)) {
    const fit = free.findIndex((mb) => mb >= ramMb);
    if (fit !== -1) {
      free[fit] = (free[fit] ?? 0) - ramMb;
    } else if (offer.ramMb >= ramMb) {
      free.push(offer.ramMb - ramMb);
      const node = `node-${market.nextNumber + orders.length}`;
      orders.push({ kind: 'order', node, ...pick(offer), cause: 'unschedulable' });
    }
  }
  return orders;
}

function pick({ type, location, ramMb }: NonNullable<Snapshot['market']>['offers'][number]) {
  return { type, location, ramMb };
}

/** Deletes lost nodes, and draining nodes that are empty. */
function deleteEmptied({ nodes }: Snapshot, bins: Bins): NodeAction[] {
  return nodes
    .filter(({ id, state }) => state === 'LOST' || (state === 'DRAINING' && bins.servicesOn(id).length === 0))
    .map(({ id }) => ({ kind: 'release', node: id, cause: 'scale down' }));
}

/** Returns the READY nodes that are not needed, and the services to evict from each of them. */
function unneeded(
  { nodes }: Snapshot,
  bins: Bins,
  utilisation: number,
): ReadonlyMap<string, readonly ServiceSnapshot[]> {
  const idle = new Map<string, readonly ServiceSnapshot[]>();
  for (const { id, state, ramMb } of nodes) {
    const bin = state === 'READY' ? bins.of(id) : undefined;
    if (bin === undefined || (ramMb - bin.freeMb) / ramMb >= utilisation) continue;
    const services = bins.servicesOn(id);
    if (bin.taken || services.some(({ state: of }) => of !== 'RUNNING')) continue;
    if (services.length === 0 || fitsElsewhere(services, bin, { bins, idle })) idle.set(id, services);
  }
  return idle;
}

/** Returns whether all services fit on other nodes. Ignores other nodes that are not needed. */
function fitsElsewhere(
  services: readonly ServiceSnapshot[],
  bin: Bin,
  { bins, idle }: { readonly bins: Bins; readonly idle: ReadonlyMap<string, unknown> },
): boolean {
  const free = bins.freeOfOpen((other: NodeSnapshot) => other.id !== bin.node.id && !idle.has(other.id));
  return [...services]
    .sort((a, b) => b.ramMb - a.ramMb)
    .every(({ ramMb }) => {
      const fit = free.findIndex((mb) => mb >= ramMb);
      if (fit !== -1) free[fit] = (free[fit] ?? 0) - ramMb;
      return fit !== -1;
    });
}

/**
 * Removes all empty nodes at once. If no node is empty, removes one node per scan: the node is drained, its services
 * are evicted, and the node is deleted when it is empty.
 */
function removals(
  due: readonly (readonly [string, readonly ServiceSnapshot[]])[],
): Exclude<Action, { kind: 'request' }>[] {
  const empty = due.filter(([, services]) => services.length === 0);
  if (empty.length > 0) return empty.map(([id]) => ({ kind: 'release', node: id, cause: 'unneeded' }));
  return due
    .slice(0, 1)
    .flatMap(([id, services]) => [
      { kind: 'drain' as const, node: id, cause: 'unneeded' },
      ...services.map((service) => ({ kind: 'stop' as const, service: service.id, cause: 'evicted' })),
    ]);
}
