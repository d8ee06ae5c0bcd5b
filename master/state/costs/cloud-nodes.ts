import type { NodeInfo } from '#master/nodes/node.ts';
import type { NodeAccess } from '../context/node-access.ts';
import type { CloudNode } from '#master/core/snapshot/snapshot.ts';

/** Returns all cloud nodes with their prices, in the sequence in which they were ordered or found at the provider. */
export function cloudNodes({ registry }: Pick<NodeAccess, 'registry'>): CloudNode[] {
  return registry.nodes().flatMap(toCloudNode);
}

/**
 * Returns the cloud nodes whose servers exist, and which are therefore paid for. An order does not count, because the
 * provider may refuse it. If the provider accepts the order, it decides from which time the node is paid for.
 */
export function paidNodes({ registry }: Pick<NodeAccess, 'registry'>): CloudNode[] {
  return registry
    .nodes()
    .filter(({ isUnconfirmed = false }) => !isUnconfirmed)
    .flatMap(toCloudNode);
}

function toCloudNode({ id, rental }: NodeInfo): CloudNode[] {
  return rental === null ? [] : [{ node: id, rental }];
}
