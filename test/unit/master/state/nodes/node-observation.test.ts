import { expect, it } from 'vitest';
import { splitByObservation } from '#master/state/nodes/node-observation.ts';
import type { NodeInfo } from '#master/nodes/node.ts';

it('splitByObservation counts a node as observed if it is reachable and has answered since the start of the master', () => {
  const nodes = [
    { id: 'node-1', silentSince: null },
    { id: 'node-2', silentSince: 5_000 },
    { id: 'node-3', silentSince: null },
  ] as unknown as readonly NodeInfo[];
  const answered = new Set(['node-1', 'node-2']);
  const split = splitByObservation({
    registry: { nodes: () => nodes },
    adoptions: { hasObserved: (node) => answered.has(node) },
  });
  expect(split).toEqual({ observed: ['node-1'], unobserved: ['node-2', 'node-3'] });
});
