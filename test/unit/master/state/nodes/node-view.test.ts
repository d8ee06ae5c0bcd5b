import { describe, expect, it } from 'vitest';
import { nodeStates, type NodeState } from '#shared/model/node.ts';
import type { NodeInfo } from '#master/nodes/node.ts';
import type { NodeOverrides } from '#master/state/overrides/overrides.ts';
import { viewNode } from '#master/state/nodes/node-view.ts';

const NOTHING: NodeOverrides = { held: false, locked: false, schedule: null, byRules: false };

function anInfo(state: NodeState): NodeInfo {
  return {
    id: 'node-1',
    kind: 'hetzner',
    location: 'nbg1',
    state,
    note: null,
    silentSince: null,
    unprepared: false,
    address: '203.0.113.7',
    ramMb: 7_168,
    startBudget: 4,
    hasJava: true,
    rental: { type: 'cpx32', since: 1, hourlyPrice: 0.02 },
  };
}

describe('viewNode (state of a node that the app shows)', () => {
  it('returns the state that the registry reports, unless an admin has changed it', () => {
    const info = anInfo('READY');
    expect(viewNode(info, NOTHING)).toEqual({
      ...info,
      silent: false,
      held: false,
      locked: false,
      leaving: false,
      drainedByRules: false,
    });
  });

  it.each([
    [{ schedule: 'cordon' }, { state: 'CORDONED', drainedByRules: false }],
    [{ schedule: 'drain' }, { state: 'DRAINING', drainedByRules: false }],
    [
      { schedule: 'drain', byRules: true },
      { state: 'DRAINING', drainedByRules: true },
    ],
    [
      { held: true, locked: true },
      { state: 'READY', held: true, locked: true },
    ],
  ] as const)('returns for a READY node with the override %j: %j', (wishes, want) => {
    expect(viewNode(anInfo('READY'), { ...NOTHING, ...wishes })).toMatchObject(want);
  });

  it('returns "awaited" for an unreachable node, and "overdue" once the node may be declared as lost', () => {
    const silent = (sinceMs: number) =>
      viewNode({ ...anInfo('READY'), silentSince: sinceMs }, NOTHING, 100_000).silent;
    expect([silent(100_000), silent(40_001), silent(40_000), silent(0)]).toEqual([
      'awaited',
      'awaited',
      'overdue',
      'overdue',
    ]);
  });

  it('ignores overrides while a node is not ready', () => {
    for (const state of nodeStates.filter((one) => one !== 'READY')) {
      const view = viewNode(anInfo(state), { ...NOTHING, schedule: 'drain', byRules: true, locked: true });
      expect(view).toMatchObject({ state, locked: true, drainedByRules: state === 'DRAINING' });
    }
  });
});
