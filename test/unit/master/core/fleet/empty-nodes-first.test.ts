import { describe, expect, it } from 'vitest';
import { plan } from '#master/core/plan.ts';
import type { NodeSnapshot, Snapshot, VolumeSnapshot } from '#master/core/snapshot/snapshot.ts';
import {
  aNode,
  aRentedNode,
  aService,
  aSnapshot,
  aTemplate,
  ms,
  NOW,
} from '#test/support/master/snapshots.ts';

/** Returns a cloud node that was ordered this long ago. */
function rentedFor(clock: string, id: string, fields: Partial<NodeSnapshot> = {}): NodeSnapshot {
  return aRentedNode(id, { rental: rentalOf(clock, 0.02), ...fields });
}

function rentalOf(clock: string, hourlyPrice: number): NonNullable<NodeSnapshot['rental']> {
  return { type: 'cpx32', since: NOW - ms(clock), hourlyPrice };
}

const volume: VolumeSnapshot = {
  service: 'world-1',
  attachedTo: 'node-2',
  cachedOn: 'node-2',
  mayBeUnsaved: true,
  problem: null,
  unsavable: null,
};

describe('a node with a service, of two nodes of which one is enough', () => {
  /** Returns a network with a service on node-1, and the empty node-2. */
  const pair = (empty: NodeSnapshot, fields: Partial<Snapshot> = {}): Snapshot =>
    aSnapshot({
      templates: [aTemplate('t', { minimumRunningServers: 1 })],
      services: [aService('t-1', { ramMb: 1_000, node: 'node-1' })],
      nodes: [rentedFor('50:00', 'node-1'), empty],
      ...fields,
    });
  const whyKept = (snapshot: Snapshot): string | undefined => plan(snapshot).kept.get('node-1')?.message;

  it.each([
    { says: 'earlier', clock: '55:00', want: 'Empty nodes are released first.' },
    { says: 'a few minutes later', clock: '41:00', want: 'Empty nodes are released first.' },
    { says: 'much later', clock: '30:00', want: 'It is being drained;' },
  ])('is explained with "$want" if the paid hour of the empty node ends $says', ({ clock, want }) => {
    expect(whyKept(pair(rentedFor(clock, 'node-2')))).toContain(want);
  });

  it.each([
    { says: 'as much', hourlyPrice: 0.02, want: 'Empty nodes are released first.' },
    { says: 'more', hourlyPrice: 0.03, want: 'Empty nodes are released first.' },
    { says: 'less', hourlyPrice: 0.01, want: 'It is being drained;' },
  ])('is explained with "$want" if the empty node costs $says', ({ hourlyPrice, want }) => {
    const empty = rentedFor('55:00', 'node-2', { rental: rentalOf('55:00', hourlyPrice) });
    expect(whyKept(pair(empty))).toContain(want);
  });

  it.each<{ says: string; empty: Partial<NodeSnapshot>; volumes: readonly VolumeSnapshot[] }>([
    { says: 'a volume', empty: {}, volumes: [volume] },
    { says: 'a service that has left', empty: { unsaved: ['world-1'] }, volumes: [] },
  ])('is drained if the empty node has unsaved data of $says', ({ empty, volumes }) => {
    const snapshot = pair(rentedFor('55:00', 'node-2', empty), { volumes });
    expect(plan(snapshot).actions).toMatchObject([{ kind: 'drain', node: 'node-1' }]);
  });
});

describe('an empty node with unsaved data at the end of its paid hour', () => {
  it('does not prevent the release of another empty node', () => {
    const nodes = [
      aNode({ ramMb: 14_000 }),
      rentedFor('58:00', 'node-1', { ramMb: 10_000, unsaved: ['world-1'] }),
      rentedFor('58:00', 'node-2', { ramMb: 10_000 }),
    ];
    const services = [aService('t-9', { state: 'IN_USE', ramMb: 14_000 })];
    const { actions, kept } = plan(aSnapshot({ templates: [aTemplate('t')], services, nodes }));
    expect(actions).toMatchObject([{ kind: 'release', node: 'node-2' }]);
    expect(kept.get('node-1')?.reason).toBe('UNSAVED');
  });
});
