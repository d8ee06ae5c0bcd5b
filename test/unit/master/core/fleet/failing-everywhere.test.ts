import { describe, expect, it } from 'vitest';
import { plan } from '#master/core/plan.ts';
import { DEFAULT_BACKOFF } from '#master/core/placement/backoff-delay.ts';
import type { NodeSnapshot } from '#master/core/snapshot/snapshot.ts';
import { NodeBackoff } from '#master/state/nodes/node-backoff.ts';
import { aMarket, aRentedNode, aService, aSnapshot, aTemplate, NOW } from '#test/support/master/snapshots.ts';

/** Time from the order of a node until it is ready (ms). */
const BOOT_MS = 120_000;

/**
 * Simulates some hours of a network with one service, which cannot start on any node. Returns the largest number of
 * nodes that exist at the same time.
 *
 * @param ready facts about each node that is ready
 */
function mostNodesWithin(hours: number, ready: Partial<NodeSnapshot>): number {
  const backoff = new NodeBackoff(DEFAULT_BACKOFF);
  let nodes: (NodeSnapshot & { readonly readyAt: number })[] = [{ ...aRentedNode('node-1'), readyAt: NOW }];
  let ordered = 0;
  let most = 0;
  for (let now = NOW; now < NOW + hours * 3_600_000; now += 1_000) {
    nodes = nodes.map((node) => (now >= node.readyAt ? { ...node, ...ready, state: 'READY' } : node));
    const { actions } = plan(
      aSnapshot({
        now,
        templates: [aTemplate('old', { minimumRunningServers: 1 })],
        services: [aService('old-1', { state: 'REQUESTED' })],
        nodes: nodes.map((node) => ({ ...node, startBackoffs: backoff.of(node.id) })),
        market: aMarket({ nextNumber: 2 + ordered }),
      }),
    );
    most = Math.max(most, nodes.length);
    for (const action of actions) {
      if (action.kind === 'start')
        backoff.count({ node: action.node, template: 'old', begunAt: now, reason: 'Its disk is full.' }, now);
      if (action.kind === 'release') nodes = nodes.filter(({ id }) => id !== action.node);
      if (action.kind !== 'order') continue;
      ordered += 1;
      const rental = { type: action.type, since: now, hourlyPrice: 0.02 };
      nodes.push({ ...aRentedNode(action.node, { rental, state: 'BOOTING' }), readyAt: now + BOOT_MS });
    }
  }
  return most;
}

describe('a service for which no node works', () => {
  it('causes the order of at most three nodes at a time if its start fails on each node', () => {
    expect(mostNodesWithin(2, {})).toBe(3);
  });

  it('causes no order for a healthy template if two other templates need a Java that no node can get', () => {
    const backoff = new NodeBackoff(DEFAULT_BACKOFF);
    const ids = ['node-1', 'node-2', 'node-3'];
    const failure = { reason: 'Java 99 could not be installed.', concernsOnlyTemplate: true };
    for (let begunAt = NOW - 6_000; begunAt < NOW; begunAt += 1_000) {
      for (const node of ids) {
        for (const template of ['old', 'older'])
          backoff.count({ ...failure, node, template, begunAt }, begunAt);
      }
    }
    const services = ['old-1', 'older-1', 'healthy-1'].map((id) => aService(id, { state: 'REQUESTED' }));
    const { actions } = plan(
      aSnapshot({
        templates: ['old', 'older', 'healthy'].map((id) => aTemplate(id, { minimumRunningServers: 1 })),
        services,
        nodes: ids.map((id) => aRentedNode(id, { startBackoffs: backoff.of(id) })),
        market: aMarket(),
      }),
    );
    expect(actions).toMatchObject([{ kind: 'start', service: 'healthy-1' }]);
  });

  it('causes the order of at most three nodes at a time if no Java can be installed on new nodes', () => {
    expect(mostNodesWithin(2, { hasJava: false })).toBe(3);
    const nodes = ['node-1', 'node-2', 'node-3'].map((id) => aRentedNode(id, { hasJava: false }));
    const services = [aService('old-1', { state: 'REQUESTED' })];
    const templates = [aTemplate('old', { minimumRunningServers: 1 })];
    const { waiting } = plan(aSnapshot({ templates, services, nodes, market: aMarket() }));
    expect(waiting.get('old-1')?.reason).toBe('JAVA_MISSING');
  });
});
