import { describe, expect, it } from 'vitest';
import { plan } from '#master/core/plan.ts';
import { indexSnapshot } from '#master/core/snapshot/snapshot-index.ts';
import { ReplacementRoom } from '#master/core/scaling/replacement-room.ts';
import type { ServiceSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import {
  aMarket,
  aNode,
  aRentedNode,
  aService,
  aSnapshot,
  aTemplate,
} from '#test/support/master/snapshots.ts';

const MB = 1_399;
const alone = { minimumRunningServers: 1, maximumOnlineServers: 1 };

/**
 * Returns a network with three templates at their maximum. Their services run on a drained node, and another node has
 * room for `roomFor` of them.
 */
function drained(roomFor: number, services: readonly ServiceSnapshot[] = []): Snapshot {
  const ids = ['a', 'b', 'c'];
  const others = new Set(services.map(({ template }) => template));
  return aSnapshot({
    templates: ids.map((id) => aTemplate(id, alone)),
    services: [
      ...services,
      ...ids
        .filter((id) => !others.has(id))
        .map((id) => aService(`${id}-1`, { template: id, node: 'n', ramMb: MB })),
    ],
    nodes: [aNode({ ramMb: roomFor * MB }), aRentedNode('n', { state: 'DRAINING', drainedByRules: false })],
  });
}

function stopsOf(snapshot: Snapshot): string[] {
  return plan(snapshot).actions.flatMap((action) => (action.kind === 'stop' ? [action.service] : []));
}

describe('services on a drained node whose templates have reached their maximum', () => {
  it.each([0, 1, 2, 3])('stop while other nodes have room for their replacements (room for %i)', (room) => {
    expect(stopsOf(drained(room))).toHaveLength(room);
  });

  it('keep running while one of them is stopping, because its replacement needs the remaining room', () => {
    const stopping = aService('a-1', { template: 'a', node: 'n', ramMb: MB, stopping: true });
    expect(stopsOf(drained(1, [stopping]))).toEqual([]);
    expect(stopsOf(drained(2, [stopping]))).toEqual(['b-1']);
  });

  it('stop one at a time if their replacements need a node that may be ordered', () => {
    const market = aMarket();
    expect(stopsOf({ ...drained(0), market, configureMode: false })).toHaveLength(1);
    const stopping = aService('a-1', { template: 'a', node: 'n', ramMb: MB, stopping: true });
    expect(stopsOf({ ...drained(0, [stopping]), market, configureMode: false })).toEqual([]);
  });

  it('report that no node has room for a replacement', () => {
    const { unmet } = plan(drained(1));
    const full = [...unmet].filter(([, { wait }]) => wait.reason === 'RAM_FULL');
    expect(full.map(([id]) => id)).toEqual(['b', 'c']);
  });
});

it('services of a rolling restart keep running while one of them is stopping, because its replacement needs the remaining room', () => {
  const old = { retiring: true, ramMb: 2_800 };
  const templates = ['a', 'b'].map((id) => aTemplate(id, { ...alone, maxJvmMemory: 2_800 }));
  const at = (fields: object): string[] =>
    stopsOf(
      aSnapshot({
        templates,
        services: [
          aService('a-1', { ...old, template: 'a', ...fields }),
          aService('b-1', { ...old, template: 'b' }),
        ],
        nodes: [aNode({ ramMb: 6_000 })],
      }),
    );
  expect(at({})).toEqual(['a-1']);
  expect(at({ stopping: true })).toEqual([]);
});

describe('ReplacementRoom', () => {
  it('offers no RAM to a replacement if a waiting service will take this RAM', () => {
    const [a, b] = [aTemplate('a', alone), aTemplate('b', alone)];
    const requested = aService('b-1', { template: 'b', state: 'REQUESTED', node: null, ramMb: MB });
    const leaving = aService('a-1', { template: 'a', node: 'n', ramMb: MB });
    const of = (services: readonly ServiceSnapshot[]): boolean => {
      const index = indexSnapshot({ ...drained(1), templates: [a, b], services });
      return new ReplacementRoom(index).existsFor(leaving, a);
    };
    expect(of([leaving])).toBe(true);
    expect(of([leaving, requested])).toBe(false);
    expect(of([leaving, { ...requested, held: true }])).toBe(true);
  });
});
