import { describe, expect, it } from 'vitest';
import { indexSnapshot } from '#master/core/snapshot/snapshot-index.ts';
import { planScaling } from '#master/core/scaling/scaling.ts';
import type { ServiceSnapshot } from '#master/core/snapshot/snapshot.ts';
import type { TemplateConfig } from '#shared/config/template.ts';
import { aService, aSnapshot, aTemplate, NOW } from '#test/support/master/snapshots.ts';

interface Case {
  readonly says: string;
  readonly config: Partial<TemplateConfig>;
  readonly services: readonly ServiceSnapshot[];
  readonly wantRequests?: number;
  readonly wantStops?: readonly string[];
  readonly wantCause?: RegExp;
}

const long = { unusedSince: NOW - 1_000_000 };

const cases: readonly Case[] = [
  { says: 'nothing is wanted of a template with defaults', config: {}, services: [] },
  {
    says: 'the minimum is requested at once',
    config: { minimumRunningServers: 3 },
    services: [],
    wantRequests: 3,
    wantCause: /minimumRunningServers is 3; 0 ready, 0 starting/,
  },
  {
    says: 'services on their way count',
    config: { minimumRunningServers: 3 },
    services: [aService('t-1', { state: 'STARTING' }), aService('t-2', { state: 'REQUESTED' })],
    wantRequests: 1,
  },
  {
    says: 'one in use is no spare',
    config: { minimumRunningServers: 1 },
    services: [aService('t-1', { state: 'IN_USE' })],
    wantRequests: 1,
  },
  {
    says: 'a stopping one is no spare',
    config: { minimumRunningServers: 1 },
    services: [aService('t-1', { stopping: true })],
    wantRequests: 1,
  },
  {
    says: 'one that does not answer is no spare',
    config: { minimumRunningServers: 1 },
    services: [aService('t-1', { unresponsive: true })],
    wantRequests: 1,
  },
  {
    says: 'the cap cuts requests',
    config: { minimumRunningServers: 5, maximumOnlineServers: 2 },
    services: [],
    wantRequests: 2,
  },
  {
    says: 'a stopping service still counts towards the cap',
    config: { minimumRunningServers: 1, maximumOnlineServers: 1 },
    services: [aService('t-1', { stopping: true })],
    wantRequests: 0,
  },
  {
    says: 'a lowered cap stops what is not ready first, the newest first',
    config: { maximumOnlineServers: 1 },
    services: [aService('t-1'), aService('t-2'), aService('t-3', { state: 'STARTING' })],
    wantStops: ['t-3', 't-2'],
    wantCause: /maximumOnlineServers is 1/,
  },
  {
    says: 'a lowered cap never stops one in use',
    config: { maximumOnlineServers: 0 },
    services: [aService('t-1', { state: 'IN_USE' }), aService('t-2')],
    wantStops: ['t-2'],
  },
  {
    says: 'template capacity: 12 of 20 at 50 % asks for one more',
    config: { startNewServiceAtTemplateCapacity: 50 },
    services: [
      aService('t-1', { state: 'IN_USE', players: 10 }),
      aService('t-2', { state: 'IN_USE', players: 2 }),
    ],
    wantRequests: 1,
    wantCause: /12 of 20 players, 60 % ≥ 50 %/,
  },
  {
    says: 'template capacity: exactly at the threshold counts as reached',
    config: { startNewServiceAtTemplateCapacity: 50 },
    services: [aService('t-1', { state: 'IN_USE', players: 5 })],
    wantRequests: 1,
  },
  {
    says: 'template capacity: as many as it takes, at once',
    config: { startNewServiceAtTemplateCapacity: 10 },
    services: [aService('t-1', { state: 'IN_USE', players: 4 })],
    wantRequests: 4,
  },
  {
    says: 'template capacity: services on their way count',
    config: { startNewServiceAtTemplateCapacity: 50 },
    services: [aService('t-1', { state: 'IN_USE', players: 8 }), aService('t-2', { state: 'STARTING' })],
    wantRequests: 0,
  },
  {
    says: 'template capacity 0 is off',
    config: {},
    services: [aService('t-1', { state: 'IN_USE', players: 10 })],
    wantRequests: 0,
  },
  {
    says: 'global capacity: one more than the minimum',
    config: { startNewServiceAtGlobalCapacity: 10 },
    services: [aService('t-1', { state: 'IN_USE', players: 10 })],
    wantRequests: 1,
    wantCause: /10 of 100 players on the network, 10 % ≥ 10 %/,
  },
  {
    says: 'global capacity: at exactly the threshold, also where the share is no round number in floating point',
    config: { startNewServiceAtGlobalCapacity: 29 },
    services: [10, 10, 9].map((players, i) => aService(`t-${i + 1}`, { state: 'IN_USE', players })),
    wantRequests: 1,
    wantCause: /29 of 100 players on the network, 29 % ≥ 29 %/,
  },
  {
    says: 'global capacity: below the threshold nothing',
    config: { startNewServiceAtGlobalCapacity: 11 },
    services: [aService('t-1', { state: 'IN_USE', players: 10 })],
    wantRequests: 0,
  },
  {
    says: 'an unused one is stopped after its time',
    config: {},
    services: [aService('t-1', { unusedSince: NOW - 120_000 })],
    wantStops: ['t-1'],
    wantCause: /unused for 120 s/,
  },
  {
    says: 'and not a millisecond before',
    config: {},
    services: [aService('t-1', { unusedSince: NOW - 119_999 })],
  },
  {
    says: '-1 never stops',
    config: { killUnusedTooManyServersAfter: -1 },
    services: [aService('t-1', long)],
  },
  {
    says: '0 stops at once',
    config: { killUnusedTooManyServersAfter: 0 },
    services: [aService('t-1')],
    wantStops: ['t-1'],
  },
  {
    says: 'the minimum is kept, the newest goes',
    config: { minimumRunningServers: 1 },
    services: [aService('t-1', long), aService('t-2', long)],
    wantStops: ['t-2'],
  },
  {
    says: 'one on its way does not replace one that is ready',
    config: { minimumRunningServers: 1 },
    services: [aService('t-1', long), aService('t-2', { state: 'STARTING' })],
  },
  {
    says: 'one that the template capacity needs stays',
    config: { startNewServiceAtTemplateCapacity: 50 },
    services: [aService('t-1', { state: 'IN_USE', players: 5 }), aService('t-2', long)],
  },
  {
    says: 'a waiting request that nothing needs any more is withdrawn',
    config: {},
    services: [aService('t-1', { state: 'REQUESTED' })],
    wantStops: ['t-1'],
  },
  {
    says: 'unless a person asked for it',
    config: {},
    services: [aService('t-1', { state: 'REQUESTED', manual: true })],
  },
  {
    says: 'one that answers nothing any more goes, though it is the minimum',
    config: { minimumRunningServers: 1 },
    services: [aService('t-1', { ...long, unresponsive: true })],
    wantRequests: 1,
    wantStops: ['t-1'],
  },
];

describe('planScaling', () => {
  it.each(cases)('$says', ({ config, services, wantRequests = 0, wantStops = [], wantCause }) => {
    const template = aTemplate('t', config);
    const { requests, stops } = planScaling(
      template,
      indexSnapshot(aSnapshot({ templates: [template], services })),
    );
    expect(requests).toHaveLength(wantRequests);
    expect(stops.map((stop) => stop.service)).toEqual(wantStops);
    if (wantCause !== undefined) expect([...requests, ...stops][0]?.cause).toMatch(wantCause);
  });

  it('numbers requests upwards from the next free number', () => {
    const template = aTemplate('t', { minimumRunningServers: 2 }, { nextNumber: 7 });
    const { requests } = planScaling(template, indexSnapshot(aSnapshot({ templates: [template] })));
    expect(requests.map((request) => request.service)).toEqual(['t-7', 't-8']);
  });
});

describe('a maximum that leaves no room for a spare', () => {
  const lacks = (config: Partial<TemplateConfig>, ...services: readonly ServiceSnapshot[]): number | null => {
    const template = aTemplate('t', config);
    const index = indexSnapshot(aSnapshot({ templates: [template], services }));
    return planScaling(template, index).unmet?.missing ?? null;
  };
  const inUse = (id: string, players: number): ServiceSnapshot => aService(id, { state: 'IN_USE', players });
  const one = { minimumRunningServers: 1, maximumOnlineServers: 1 };
  const two = { minimumRunningServers: 1, maximumOnlineServers: 2 };

  it('is no shortage while services in use have room', () => {
    expect(lacks(one, inUse('t-1', 1))).toBeNull();
    expect(lacks(one, inUse('t-1', 7))).toBeNull();
    expect(lacks(two, inUse('t-1', 10), inUse('t-2', 5))).toBeNull();
  });

  it('is a shortage once they are filled, or if the maximum is below the minimum', () => {
    expect(lacks(one, inUse('t-1', 8))).toBe(1);
    expect(lacks(two, inUse('t-1', 10), inUse('t-2', 6))).toBe(1);
    expect(lacks({ ...one, startNewServiceAtTemplateCapacity: 50 }, inUse('t-1', 5))).toBe(1);
    expect(lacks({ minimumRunningServers: 2, maximumOnlineServers: 1 }, aService('t-1'))).toBe(1);
  });

  it('is a shortage if services in use do not answer', () => {
    expect(lacks(one, aService('t-1', { state: 'IN_USE', unresponsive: true }))).toBe(1);
  });
});
