import { describe, expect, it } from 'vitest';
import { plan } from '#master/core/plan.ts';
import type { Snapshot } from '#master/core/snapshot/snapshot.ts';
import { aNode, aService, aSnapshot, aTemplate, NOW } from '#test/support/master/snapshots.ts';

/** RAM of each service (MB). */
const RAM_MB = 1_399;

/** Plans a rolling restart of three services with persistent paths, while `t-3` is requested again. */
function actionsWhileRequested(change: Partial<Snapshot> = {}): string[] {
  const services = [
    aService('t-1', { retiring: true }),
    aService('t-2', { retiring: true }),
    aService('t-3', { state: 'REQUESTED' }),
    aService('other-1', { state: 'STARTING' }),
  ];
  const templates = [
    aTemplate('t', { persistentPaths: ['world*/'], minimumRunningServers: 3 }),
    aTemplate('other', {}),
  ];
  const { actions } = plan(aSnapshot({ templates, services, nodes: [aNode()], ...change }));
  return actions.map((action) => `${action.kind} ${'service' in action ? action.service : action.node}`);
}

describe('the rolling restart of a template with persistent paths, while a stopped service is requested again', () => {
  it('stops no further service while the stopped service waits because other services start on its node', () => {
    expect(actionsWhileRequested({ nodes: [aNode({ startBudget: 1 })] })).toEqual([]);
  });

  it('stops no further service in the round in which the stopped service starts', () => {
    expect(actionsWhileRequested()).toEqual(['start t-3']);
  });

  it('stops no further service while the stopped service starts again after a failure of its node', () => {
    const startBackoffs = [{ template: 't', since: NOW - 5_000, retryAt: NOW, reason: 'Its disk is full.' }];
    expect(actionsWhileRequested({ nodes: [aNode({ startBackoffs })] })).toEqual(['start t-3']);
  });

  it('stops the next service while the stopped service waits for RAM, because this wait may be long', () => {
    expect(actionsWhileRequested({ nodes: [aNode({ ramMb: 3 * RAM_MB })] })).toEqual(['stop t-2']);
  });

  it.each([
    { attachedTo: 'lost-node', problem: null },
    { attachedTo: null, problem: 'Its volume.json is damaged.' },
  ])('stops the next service while the stopped service waits for its volume: %o', (fields) => {
    const volumes = [{ service: 't-3', mayBeUnsaved: true, cachedOn: null, unsavable: null, ...fields }];
    expect(actionsWhileRequested({ volumes })).toEqual(['stop t-2']);
  });
});
