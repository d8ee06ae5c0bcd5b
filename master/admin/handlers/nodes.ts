import { allocatedMb } from '#master/core/capacity.ts';
import { takeSnapshot } from '#master/control/snapshot.ts';
import type { Parts } from '#master/control/parts.ts';
import type { HandlersOf } from '../api.ts';

/** `nodes.*` of the admin API. */
export function nodesHandlers(parts: Parts): HandlersOf<'nodes'> {
  return {
    'nodes.list': () => {
      const { services } = takeSnapshot(parts);
      return parts.provider.nodes().map((node) => ({
        id: node.id,
        kind: node.kind,
        state: node.state,
        address: node.address,
        ram: { totalMb: node.ramMb, allocatedMb: allocatedMb(node, services) },
        services: services.filter((service) => service.node === node.id).length,
      }));
    },
  };
}
