import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexSnapshot } from '#master/core/snapshot/snapshot-index.ts';
import { NodeCapacities } from '#master/core/placement/node-capacities.ts';
import type { NodeSnapshot } from '#master/core/snapshot/snapshot.ts';
import { aNode, aService, aSnapshot } from '#test/support/master/snapshots.ts';

const nodes: fc.Arbitrary<NodeSnapshot[]> = fc.uniqueArray(
  fc
    .record({
      id: fc.stringMatching(/^[a-f]{1,3}$/),
      state: fc.constantFrom<NodeSnapshot['state']>(
        'READY',
        'READY',
        'READY',
        'CORDONED',
        'DRAINING',
        'LOST',
      ),
      held: fc.integer({ min: 0, max: 4 }).map((n) => n === 4),
      ramMb: fc.integer({ min: 0, max: 20 }),
      startBudget: fc.integer({ min: 0, max: 3 }),
      hasJava: fc.boolean(),
    })
    .map((fields) => aNode(fields)),
  { selector: ({ id }) => id, maxLength: 12 },
);

const wishes = fc.array(fc.record({ ramMb: fc.integer({ min: 1, max: 12 }), bringsJava: fc.boolean() }), {
  maxLength: 30,
});

describe('NodeCapacities (search for a node with room)', () => {
  it('finds the same node as a simple search through all nodes', () => {
    fc.assert(
      fc.property(nodes, wishes, (all, wanted) => {
        const rooms = NodeCapacities.ofOpenNodes(indexSnapshot(aSnapshot({ nodes: all })));
        const left = all
          .filter(({ state, held }) => state === 'READY' && !held)
          .map(({ id, hasJava, ramMb, startBudget }) => ({
            id,
            hasJava,
            freeMb: ramMb,
            startsLeft: startBudget,
          }));
        for (const { ramMb, bringsJava } of wanted) {
          const usable = left.filter(({ hasJava }) => hasJava || bringsJava);
          const [best] = usable
            .filter((node) => node.freeMb >= ramMb && node.startsLeft > 0)
            .sort((a, b) => a.freeMb - b.freeMb || (a.id < b.id ? -1 : 1));
          const room = rooms.bestFit(ramMb, bringsJava);
          expect(room?.node).toBe(best?.id);
          expect(rooms.usableCount(bringsJava)).toBe(usable.length);
          expect(rooms.mostFreeMb(bringsJava)).toBe(Math.max(0, ...usable.map(({ freeMb }) => freeMb)));
          if (room === undefined || best === undefined) continue;
          rooms.take(room, ramMb);
          best.freeMb -= ramMb;
          best.startsLeft -= 1;
        }
      }),
    );
  });

  it('counts the RAM of all services on a node, in any state', () => {
    const node = aNode({ ramMb: 5_000, startBudget: 2 });
    const services = [
      aService('lobby-1', { ramMb: 1_000, stopping: true }),
      aService('lobby-2', { ramMb: 1_000, state: 'STARTING' }),
      aService('lobby-3', { ramMb: 1_000, state: 'REQUESTED' }),
    ];
    const rooms = NodeCapacities.ofOpenNodes(indexSnapshot(aSnapshot({ nodes: [node], services })));
    expect(rooms.bestFit(3_000, false)).toEqual({
      node: 'local',
      hasJava: true,
      freeMb: 3_000,
      startsLeft: 1,
    });
    expect(rooms.bestFit(3_001, false)).toBeUndefined();
  });
});
