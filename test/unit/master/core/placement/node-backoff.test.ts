import { describe, expect, it } from 'vitest';
import { previewPlan } from '#master/core/preview-plan.ts';
import { plan } from '#master/core/plan.ts';
import type { NodeSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import { backoffOf } from '#master/core/placement/node-backoff.ts';
import type { StartBackoff } from '#master/core/snapshot/snapshot.ts';
import {
  aMarket,
  aNode,
  aRentedNode,
  aService,
  aSnapshot,
  aTemplate,
  NOW,
} from '#test/support/master/snapshots.ts';

/** Returns the back-off of a start that failed just now and is tried again after `waitMs`. */
function failed(template: string, waitMs: number): StartBackoff {
  return { template, since: NOW, retryAt: NOW + waitMs, reason: 'The disk is full.' };
}

/** Returns a network with one requested service of each of two templates, and a provider. */
function requested(nodes: NodeSnapshot[], fields: Partial<Snapshot> = {}): Snapshot {
  return aSnapshot({
    templates: [aTemplate('a'), aTemplate('b')],
    services: ['a-1', 'b-1'].map((id) => aService(id, { state: 'REQUESTED', manual: true })),
    nodes,
    configureMode: false,
    market: aMarket(),
    ...fields,
  });
}

const starts = (snapshot: Snapshot): string[] =>
  plan(snapshot).actions.flatMap((one) => (one.kind === 'start' ? [`${one.service} on ${one.node}`] : []));
const orders = (snapshot: Snapshot): number =>
  plan(snapshot).actions.filter(({ kind }) => kind === 'order').length;

describe('a node on which a template failed to start', () => {
  it('is not used for this template while another node has room, even if this node fits best', () => {
    const full = aRentedNode('node-1', { ramMb: 4_000, startBackoffs: [failed('a', 5_000)] });
    expect(starts(requested([full, aRentedNode('node-2')]))).toEqual(['a-1 on node-2', 'b-1 on node-1']);
    expect(starts(requested([{ ...full, startBackoffs: [] }, aRentedNode('node-2')]))).toContain(
      'a-1 on node-1',
    );
  });

  it('is used for other templates until a second template has failed on it', () => {
    const both = [failed('b', 5_000), failed('c', 10_000)];
    expect(backoffOf({ startBackoffs: [failed('c', 5_000)] }, 'a', NOW)).toBeNull();
    expect(backoffOf({ startBackoffs: both }, 'a', NOW)?.retryAt).toBe(NOW + 5_000);
    expect(backoffOf({ startBackoffs: both }, 'a', NOW + 5_000)).toBeNull();
    expect(starts(requested([aNode({ startBackoffs: both })]))).toEqual([]);
  });

  it('is used for other templates if their Java is not the one that the failed templates need', () => {
    const java = (template: string): StartBackoff => ({
      ...failed(template, 5_000),
      concernsOnlyTemplate: true,
    });
    expect(starts(requested([aNode({ startBackoffs: [java('b'), java('c')] })]))).toEqual(['a-1 on local']);
    const mixed = [java('b'), failed('c', 5_000)];
    expect(backoffOf({ startBackoffs: mixed }, 'a', NOW)).toBeNull();
    expect(backoffOf({ startBackoffs: [...mixed, failed('d', 5_000)] }, 'a', NOW)?.template).toBe('d');
  });

  it('is used again once its back-off has expired', () => {
    const over = { ...failed('a', 5_000), since: NOW - 5_000, retryAt: NOW };
    expect(starts(requested([aNode({ startBackoffs: [over] })]))).toContain('a-1 on local');
  });

  it('makes a service wait if no other node has room, and the reason names the time of the next attempt', () => {
    const { waiting } = plan(requested([aNode({ startBackoffs: [failed('a', 5_000)] })], { market: null }));
    expect(waiting.get('a-1')).toEqual({
      reason: 'BACKING_OFF',
      message:
        'a-1 needs 1399 MB. local has room for it, but the last starts of its template failed there, so it is retried there later, or immediately on another node with room. The disk is full.',
      until: NOW + 5_000,
    });
  });

  it('makes a service wait only if a new node would be ready later than the next attempt', () => {
    const at = (waitMs: number): Snapshot =>
      requested([aRentedNode('node-1', { startBackoffs: [failed('a', waitMs)] })]);
    expect(orders(at(80_000))).toBe(0);
    expect(plan(at(80_000)).waiting.get('a-1')?.reason).toBe('BACKING_OFF');
    expect(orders(at(160_000))).toBe(1);
    expect(plan(at(160_000)).waiting.get('a-1')?.reason).toBe('NODE_ON_ITS_WAY');
    // In configure mode, no node can be ordered, so the reason is still the back-off.
    const frozen = plan({ ...at(160_000), configureMode: true });
    expect(frozen.waiting.get('a-1')?.message).toMatch(/The disk is full\. .*configure mode is on/);
  });

  it('is used in the preview of the plan once its back-off has expired', () => {
    const { actions } = previewPlan(requested([aNode({ startBackoffs: [failed('a', 5_000)] })]));
    const start = actions.find(({ kind, service }) => kind === 'start' && service === 'a-1');
    expect(start).toMatchObject({ node: 'local', afterMs: 5_000 });
  });
});
