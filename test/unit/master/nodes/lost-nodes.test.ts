import { beforeEach, describe, expect, it } from 'vitest';
import { LostNodes } from '#master/nodes/lost-nodes.ts';
import type { NodeInfo } from '#master/nodes/node.ts';
import { aRentedNode } from '#test/support/nodes/rented-node.ts';

const LIMITS = { graceMs: 60_000, pauseMs: 30_000 };

let now: number;
let isProviderSilent: boolean;
let answering: Set<string>;
let nodes: NodeInfo[];
let lost: LostNodes;

beforeEach(() => {
  now = 0;
  isProviderSilent = false;
  answering = new Set();
  nodes = [1, 2, 3].map((n) => aRentedNode({ id: `node-${n}` }));
  lost = new LostNodes({ limits: LIMITS, answers: (id) => answering.has(id), clock: () => now });
});

function silence(...ids: string[]): void {
  nodes = nodes.map((node) => ({ ...node, silentSince: ids.includes(node.id) ? now : null }));
}

function lostAt(time: number): string[] {
  now = time;
  lost.judge(nodes, isProviderSilent);
  return nodes.flatMap(({ id }) => (lost.has(id) ? [id] : []));
}

describe('LostNodes (declares silent nodes as lost)', () => {
  it('counts a silent node as lost from the end of the grace time until the node answers again', () => {
    silence('node-1');
    expect(lostAt(59_999)).toEqual([]);
    expect(lostAt(60_000)).toEqual(['node-1']);
    silence();
    expect(lostAt(60_001)).toEqual([]);
  });

  it('declares one node at a time as lost, first the node with the longest silence', () => {
    silence('node-2');
    now = 1;
    nodes = nodes.map((node) => (node.id === 'node-2' ? node : { ...node, silentSince: 1 }));
    expect(lostAt(70_000)).toEqual(['node-2']);
    expect(lostAt(99_999)).toEqual(['node-2']);
    expect(lostAt(100_000)).toHaveLength(2);
    expect(lostAt(159_999)).toHaveLength(2);
    expect(lostAt(160_000)).toHaveLength(3);
  });

  it('doubles the waiting time for each further node that it declares as lost within an hour', () => {
    nodes = Array.from({ length: 20 }, (_, i) => aRentedNode({ id: `node-${i + 1}`, silentSince: 0 }));
    const counts: number[] = [];
    for (let minute = 1; minute <= 60; minute += 1) counts.push(lostAt(minute * 60_000).length);
    // The pauses before the next nodes are half a minute, then 1, 2, 4, 8, 16 and 32 minutes.
    expect(counts.at(-1)).toBe(7);
  });

  it('declares no node as lost while the provider is also unreachable', () => {
    silence('node-1', 'node-2', 'node-3');
    isProviderSilent = true;
    expect(lostAt(600_000)).toEqual([]);
    isProviderSilent = false;
    expect(lostAt(600_001)).toHaveLength(1);
  });

  it('declares no node as lost while its services answer pings', () => {
    silence('node-1');
    answering.add('node-1');
    expect(lostAt(600_000)).toEqual([]);
    answering.clear();
    expect(lostAt(600_001)).toEqual(['node-1']);
  });

  it('does not declare a node as lost if the node answers but cannot be prepared', () => {
    nodes = [aRentedNode({ id: 'node-1', silentSince: 0, unprepared: true })];
    expect(lostAt(3_600_000)).toEqual([]);
    nodes = [aRentedNode({ id: 'node-1', silentSince: 0 })];
    expect(lostAt(3_600_001)).toEqual(['node-1']);
  });

  it('keeps a lost node lost during each set-up of the node, until a set-up has ended with an answer', () => {
    const silent = aRentedNode({ id: 'node-1', silentSince: 0 });
    const settingUp = { ...silent, unprepared: true, isSettingUp: true };
    nodes = [settingUp];
    expect(lostAt(60_000)).toEqual([]);
    for (let minute = 2; minute <= 10; minute += 1) {
      nodes = [minute % 2 === 0 ? silent : settingUp];
      expect(lostAt(minute * 60_000)).toEqual(['node-1']);
    }
    // It was declared once, so the pause before the next node is not longer than usual.
    nodes = [settingUp, aRentedNode({ id: 'node-2', silentSince: 0 })];
    expect(lostAt(600_001)).toEqual(['node-1', 'node-2']);
    nodes = [{ ...silent, unprepared: true }];
    expect(lostAt(600_002)).toEqual([]);
  });

  it('does not declare a node as lost while the node is booting or being deleted', () => {
    nodes = [
      aRentedNode({ id: 'node-1', state: 'BOOTING', silentSince: 0 }),
      aRentedNode({ id: 'node-2', state: 'DELETING', silentSince: 0 }),
    ];
    expect(lostAt(600_000)).toEqual([]);
  });
});
