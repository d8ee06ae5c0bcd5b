import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { NodeAccess } from '../context/node-access.ts';
import type { ServiceStores } from '../context/service-stores.ts';

/**
 * Splits the nodes into those that this master currently observes, and the others. A node is observed if it can be
 * reached and if this master has processed an answer from it. The services on the node are then adopted.
 */
export function splitByObservation({
  registry,
  adoptions,
}: {
  readonly registry: Pick<NodeAccess['registry'], 'nodes'>;
  readonly adoptions: Pick<ServiceStores['adoptions'], 'hasObserved'>;
}): { readonly observed: NodeId[]; readonly unobserved: NodeId[] } {
  const observed: NodeId[] = [];
  const unobserved: NodeId[] = [];
  for (const { id, silentSince } of registry.nodes()) {
    const isObserved = silentSince === null && adoptions.hasObserved(id);
    (isObserved ? observed : unobserved).push(id);
  }
  return { observed, unobserved };
}
