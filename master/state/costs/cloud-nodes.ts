import type { NodeAccess } from '../context/node-access.ts';
import type { CloudNode } from '#master/core/snapshot/snapshot.ts';

/** Returns all cloud nodes with their prices, in the sequence in which they were ordered or found at the provider. */
export function cloudNodes({ registry }: Pick<NodeAccess, 'registry'>): CloudNode[] {
  return registry.nodes().flatMap(({ id, rental }) => (rental === null ? [] : [{ node: id, rental }]));
}
