import type { NodeInfo } from '#master/nodes/node.ts';

/** Returns a cloud node that is reachable and accepts services. */
export function aRentedNode(rest: Partial<NodeInfo> = {}): NodeInfo {
  return {
    id: 'node-1',
    kind: 'hetzner',
    state: 'READY',
    note: null,
    silentSince: null,
    unprepared: false,
    location: 'nbg1',
    address: '203.0.113.7',
    ramMb: 7_168,
    startBudget: 4,
    hasJava: true,
    rental: { type: 'cpx32', since: 1, hourlyPrice: 0.02 },
    ...rest,
  };
}
