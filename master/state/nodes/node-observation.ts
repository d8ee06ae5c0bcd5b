import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { NodeAccess } from '../context/node-access.ts';
import type { ServiceState } from '../context/service-state.ts';

/**
 * Returns which nodes this master observes at the moment. It has adopted the services on these nodes. It observes no
 * node that it cannot reach, and none whose first answer it has not processed yet.
 */
export function splitByObservation({
  registry,
  adoptions,
}: {
  readonly registry: Pick<NodeAccess['registry'], 'nodes'>;
  readonly adoptions: Pick<ServiceState['adoptions'], 'hasObserved'>;
}): { readonly observed: NodeId[]; readonly unobserved: NodeId[] } {
  const observed: NodeId[] = [];
  const unobserved: NodeId[] = [];
  for (const { id, silentSince } of registry.nodes()) {
    const isObserved = silentSince === null && adoptions.hasObserved(id);
    (isObserved ? observed : unobserved).push(id);
  }
  return { observed, unobserved };
}
