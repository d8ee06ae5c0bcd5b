import { describe, expect, it } from 'vitest';
import type { TemplateConfig } from '#shared/config/template.ts';
import { previewPlan } from '#master/core/preview-plan.ts';
import { plan } from '#master/core/plan.ts';
import type { ServiceSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import { aNode, aRentedNode, aService, aSnapshot, aTemplate } from '#test/support/master/snapshots.ts';

/** Returns this number of equal services of a template, all of which are to be replaced. */
function crowd(count: number, fields: Partial<Omit<ServiceSnapshot, 'id'>> = {}): ServiceSnapshot[] {
  return Array.from({ length: count }, (_, i) => aService(`t-${i + 1}`, { retiring: true, ...fields }));
}

const full = { state: 'IN_USE', players: 7 } as const;

interface Case {
  readonly says: string;
  readonly config?: Partial<TemplateConfig>;
  readonly services: readonly ServiceSnapshot[];
  readonly nodes?: Snapshot['nodes'];
  readonly wantRequests: number;
  readonly wantStops: readonly string[];
}

function networkOf({
  config = {},
  services,
  nodes = [aNode({ ramMb: 1_000_000 })],
}: Partial<Case>): Snapshot {
  const templates = [aTemplate('t', { minimumRunningServers: 0, ...config })];
  return aSnapshot({ templates, services: services ?? [], nodes });
}

describe('a rolling restart of many services', () => {
  it.each<Case>([
    {
      says: 'requests only two more services while it replaces four of twenty full services',
      config: { startNewServiceAtTemplateCapacity: 80 },
      services: crowd(20, full),
      // 140 players on 160 remaining slots are more than 80 %. With 180 slots, the share is below 80 %.
      wantRequests: 2,
      wantStops: [],
    },
    {
      says: 'replaces one service for every four services that keep running',
      config: { minimumRunningServers: 12 },
      services: [...crowd(12), ...[13, 14, 15].map((n) => aService(`t-${n}`, { state: 'STARTING' }))],
      wantRequests: 0,
      wantStops: [],
    },
    {
      says: 'replaces one service at a time if there are few services',
      config: { minimumRunningServers: 4 },
      services: crowd(4),
      wantRequests: 1,
      wantStops: [],
    },
    {
      says: 'replaces unused services first, beginning with the newest',
      services: [...crowd(3, full), aService('t-4', { retiring: true }), aService('t-5', { retiring: true })],
      wantRequests: 0,
      wantStops: ['t-5'],
    },
    {
      says: 'stops at once all services that serve no players',
      services: [...crowd(8, { state: 'STARTING' }), aService('t-9', { retiring: true, unresponsive: true })],
      wantRequests: 0,
      wantStops: ['t-8', 't-7', 't-6', 't-5', 't-4', 't-3', 't-2', 't-1', 't-9'],
    },
    {
      says: 'replaces one service at a time if nine services answer, and counts only services that answer',
      services: [
        ...crowd(9, full),
        aService('t-10', { retiring: true, unresponsive: true }),
        aService('t-11', { retiring: true, unresponsive: true }),
      ],
      config: { startNewServiceAtTemplateCapacity: 80 },
      // 63 players on 80 remaining slots are 79 %. If a second service left, 63 players on 70 slots would be 90 %.
      wantRequests: 0,
      wantStops: ['t-11', 't-10'],
    },
    {
      says: 'stops a service that does not answer, and at the same time replaces one that answers',
      services: [...crowd(4), aService('t-5', { retiring: true, unresponsive: true })],
      config: { minimumRunningServers: 3 },
      wantRequests: 0,
      wantStops: ['t-5', 't-4'],
    },
    {
      says: 'requests no service if the stop of a service that does not answer makes the batch smaller',
      services: [aService('t-1', { unresponsive: true, unusedSince: 0 }), ...crowd(10).slice(1)],
      config: { minimumRunningServers: 8, killUnusedTooManyServersAfter: 0 },
      wantRequests: 0,
      wantStops: ['t-1', 't-10'],
    },
    {
      says: 'before a replacement is up, stops only the service that does not answer',
      services: [
        aService('t-1', { state: 'IN_USE', players: 3 }),
        aService('t-2', { retiring: true, unresponsive: true }),
        aService('t-3', { retiring: true }),
      ],
      config: { startNewServiceAtTemplateCapacity: 30 },
      wantRequests: 1,
      wantStops: ['t-2'],
    },
    {
      says: 'does not replace paused services, and does not count them',
      services: [aService('t-1', { retiring: true }), aService('t-2', { retiring: true, held: true })],
      wantRequests: 0,
      wantStops: ['t-1'],
    },
    {
      says: 'replaces at once all services on a node that a person drains',
      config: { minimumRunningServers: 6 },
      services: [...crowd(4, { node: 'n' }), aService('t-5', { retiring: true }), aService('t-6')],
      nodes: [aNode({ ramMb: 1_000_000 }), aRentedNode('n', { state: 'DRAINING' })],
      wantRequests: 5,
      wantStops: [],
    },
  ])('$says', (one) => {
    const { actions } = plan(networkOf(one));
    expect(actions.filter(({ kind }) => kind === 'request')).toHaveLength(one.wantRequests);
    const stops = actions.flatMap((action) => (action.kind === 'stop' ? [action.service] : []));
    expect(stops).toEqual(one.wantStops);
  });

  it('stops an old service rather than a new one if there are more services than necessary', () => {
    const unusedSince = 0;
    const services = [
      aService('t-1', { retiring: true, unusedSince }),
      aService('t-2', { retiring: true, unusedSince }),
      aService('t-3', { unusedSince }),
      aService('t-4', { unusedSince }),
    ];
    const config = { minimumRunningServers: 2, killUnusedTooManyServersAfter: 60_000 };
    const { actions } = plan(networkOf({ config, services }));
    const stops = actions.map((one) => 'service' in one && `${one.kind} ${one.service}`);
    expect(stops.toSorted()).toEqual(['stop t-1', 'stop t-2']);
  });

  it('reports how many services it replaces at the same time', () => {
    const network = networkOf({
      config: { startNewServiceAtTemplateCapacity: 80 },
      services: crowd(20, full),
    });
    const cause =
      'startNewServiceAtTemplateCapacity: 140 of 160 players, 87 % ≥ 80 %; rolling restart: 4 of 20 being replaced';
    expect(plan(network).actions[0]).toMatchObject({ kind: 'request', cause });
    const { actions, complete } = previewPlan(network);
    expect(complete).toBe(true);
    expect(actions.filter(({ kind }) => kind === 'request').map((one) => one.cause)).toEqual([cause, cause]);
  });

  it('is shown completely in the preview: it replaces all 20 services, and at most 24 services exist at a time', () => {
    const { actions, complete } = previewPlan(
      networkOf({ config: { minimumRunningServers: 20 }, services: crowd(20) }),
    );
    expect(complete).toBe(true);
    let [existing, most] = [20, 20];
    for (const { kind } of actions) {
      existing += kind === 'request' ? 1 : kind === 'stop' ? -1 : 0;
      most = Math.max(most, existing);
    }
    expect(most).toBe(24);
    expect(actions.filter(({ kind }) => kind === 'stop')).toHaveLength(20);
  });
});
