import { beforeEach, describe, expect, it } from 'vitest';
import { withLostNodes } from '#master/control/nodes/node-silence.ts';
import type { NodeInfo, Provider } from '#master/nodes/provider.ts';
import { aRentedNode } from '#test/support/nodes/rented-node.ts';

const LIMITS = { graceMs: 60_000, pauseMs: 30_000 };

let now: number;
let trouble: string | null;
let answering: Set<string>;
let nodes: NodeInfo[];
let provider: Provider;

beforeEach(() => {
  now = 0;
  trouble = null;
  answering = new Set();
  nodes = [1, 2, 3].map((n) => aRentedNode({ id: `node-${n}` }));
  const inner: Provider = {
    nodes: () => nodes,
    refresh: () => Promise.resolve(),
    listed: () => true,
    trouble: () => trouble,
    market: () => null,
    rents: null,
  };
  provider = withLostNodes(inner, { limits: LIMITS, answers: (id) => answering.has(id), clock: () => now });
});

function silence(...ids: string[]): void {
  nodes = nodes.map((node) => ({ ...node, silentSince: ids.includes(node.id) ? now : null }));
}

async function lostAt(time: number): Promise<string[]> {
  now = time;
  await provider.refresh();
  return provider.nodes().flatMap(({ id, state }) => (state === 'LOST' ? [id] : []));
}

describe('withLostNodes', () => {
  it('gives a node up once it has been silent for the whole grace, and takes it back when it speaks', async () => {
    silence('node-1');
    expect(await lostAt(59_999)).toEqual([]);
    expect(await lostAt(60_000)).toEqual(['node-1']);
    silence();
    expect(await lostAt(60_001)).toEqual([]);
  });

  it('gives up one at a time when many fall silent, the longest silent first', async () => {
    silence('node-2');
    now = 1;
    nodes = nodes.map((node) => (node.id === 'node-2' ? node : { ...node, silentSince: 1 }));
    expect(await lostAt(70_000)).toEqual(['node-2']);
    expect(await lostAt(99_999)).toEqual(['node-2']);
    expect(await lostAt(100_000)).toHaveLength(2);
    expect(await lostAt(159_999)).toHaveLength(2);
    expect(await lostAt(160_000)).toHaveLength(3);
  });

  it('waits twice as long after each one within an hour', async () => {
    nodes = Array.from({ length: 20 }, (_, i) => aRentedNode({ id: `node-${i + 1}`, silentSince: 0 }));
    const counts: number[] = [];
    for (let minute = 1; minute <= 60; minute += 1) counts.push((await lostAt(minute * 60_000)).length);
    // With pauses of half a minute, and then 1, 2, 4, 8, 16 and 32.
    expect(counts.at(-1)).toBe(7);
  });

  it('gives up none while the provider cannot be asked either: the master has lost its own network', async () => {
    silence('node-1', 'node-2', 'node-3');
    trouble = 'no route to host';
    expect(await lostAt(600_000)).toEqual([]);
    trouble = null;
    expect(await lostAt(600_001)).toHaveLength(1);
  });

  it('gives up none whose services still answer players', async () => {
    silence('node-1');
    answering.add('node-1');
    expect(await lostAt(600_000)).toEqual([]);
    answering.clear();
    expect(await lostAt(600_001)).toEqual(['node-1']);
  });

  it('gives up none that answers, however long it cannot be prepared', async () => {
    nodes = [aRentedNode({ id: 'node-1', silentSince: 0, unprepared: true })];
    expect(await lostAt(3_600_000)).toEqual([]);
    nodes = [aRentedNode({ id: 'node-1', silentSince: 0 })];
    expect(await lostAt(3_600_001)).toEqual(['node-1']);
  });

  it('expects nothing of nodes that boot or go', async () => {
    nodes = [
      aRentedNode({ id: 'node-1', state: 'BOOTING', silentSince: 0 }),
      aRentedNode({ id: 'node-2', state: 'DELETING', silentSince: 0 }),
    ];
    expect(await lostAt(600_000)).toEqual([]);
  });
});
