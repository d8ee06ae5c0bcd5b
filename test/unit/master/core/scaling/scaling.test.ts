import { describe, expect, it } from 'vitest';
import { indexSnapshot } from '#master/core/snapshot/snapshot-index.ts';
import { ReplacementRoom } from '#master/core/scaling/replacement-room.ts';
import { planScaling, type Scaling } from '#master/core/scaling/scaling.ts';
import type { ServiceSnapshot, Snapshot, TemplateSnapshot } from '#master/core/snapshot/snapshot.ts';
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
  { says: 'requests nothing for a template with default values', config: {}, services: [] },
  {
    says: 'requests the minimum at once',
    config: { minimumRunningServers: 3 },
    services: [],
    wantRequests: 3,
    wantCause: /minimumRunningServers is 3; 0 ready, 0 starting/,
  },
  {
    says: 'counts starting services',
    config: { minimumRunningServers: 3 },
    services: [aService('t-1', { state: 'STARTING' }), aService('t-2', { state: 'REQUESTED' })],
    wantRequests: 1,
  },
  {
    says: 'does not count a service in use as a spare',
    config: { minimumRunningServers: 1 },
    services: [aService('t-1', { state: 'IN_USE' })],
    wantRequests: 1,
  },
  {
    says: 'does not count a stopping service as a spare',
    config: { minimumRunningServers: 1 },
    services: [aService('t-1', { stopping: true })],
    wantRequests: 1,
  },
  {
    says: 'does not count a service that does not answer as a spare',
    config: { minimumRunningServers: 1 },
    services: [aService('t-1', { unresponsive: true })],
    wantRequests: 1,
  },
  {
    says: 'requests no more services than the maximum allows',
    config: { minimumRunningServers: 5, maximumOnlineServers: 2 },
    services: [],
    wantRequests: 2,
  },
  {
    says: 'counts a stopping service towards the maximum',
    config: { minimumRunningServers: 1, maximumOnlineServers: 1 },
    services: [aService('t-1', { stopping: true })],
    wantRequests: 0,
  },
  {
    says: 'stops services above a lowered maximum: first those that are not ready, then the newest',
    config: { maximumOnlineServers: 1 },
    services: [aService('t-1'), aService('t-2'), aService('t-3', { state: 'STARTING' })],
    wantStops: ['t-3', 't-2'],
    wantCause: /maximumOnlineServers is 1/,
  },
  {
    says: 'never stops a service in use because of a lowered maximum',
    config: { maximumOnlineServers: 0 },
    services: [aService('t-1', { state: 'IN_USE' }), aService('t-2')],
    wantStops: ['t-2'],
  },
  {
    says: 'template capacity: requests one more service if there are 12 of 20 players and the threshold is 50 %',
    config: { startNewServiceAtTemplateCapacity: 50 },
    services: [
      aService('t-1', { state: 'IN_USE', players: 10 }),
      aService('t-2', { state: 'IN_USE', players: 2 }),
    ],
    wantRequests: 1,
    wantCause: /12 of 20 players, 60 % ≥ 50 %/,
  },
  {
    says: 'template capacity: requests a service at exactly the threshold',
    config: { startNewServiceAtTemplateCapacity: 50 },
    services: [aService('t-1', { state: 'IN_USE', players: 5 })],
    wantRequests: 1,
  },
  {
    says: 'template capacity: requests all services that are needed at once',
    config: { startNewServiceAtTemplateCapacity: 10 },
    services: [aService('t-1', { state: 'IN_USE', players: 4 })],
    wantRequests: 4,
  },
  {
    says: 'template capacity: counts starting services',
    config: { startNewServiceAtTemplateCapacity: 50 },
    services: [aService('t-1', { state: 'IN_USE', players: 8 }), aService('t-2', { state: 'STARTING' })],
    wantRequests: 0,
  },
  {
    says: 'template capacity: is disabled by the value 0',
    config: {},
    services: [aService('t-1', { state: 'IN_USE', players: 10 })],
    wantRequests: 0,
  },
  {
    says: 'global capacity: requests one service more than the minimum',
    config: { startNewServiceAtGlobalCapacity: 10 },
    services: [aService('t-1', { state: 'IN_USE', players: 10 })],
    wantRequests: 1,
    wantCause: /10 of 100 players on the network, 10 % ≥ 10 %/,
  },
  {
    says: 'global capacity: requests a service at exactly the threshold, despite floating-point rounding',
    config: { startNewServiceAtGlobalCapacity: 29 },
    services: [10, 10, 9].map((players, i) => aService(`t-${i + 1}`, { state: 'IN_USE', players })),
    wantRequests: 1,
    wantCause: /29 of 100 players on the network, 29 % ≥ 29 %/,
  },
  {
    says: 'global capacity: requests nothing below the threshold',
    config: { startNewServiceAtGlobalCapacity: 11 },
    services: [aService('t-1', { state: 'IN_USE', players: 10 })],
    wantRequests: 0,
  },
  {
    says: 'stops a service that has been unused for killUnusedTooManyServersAfter',
    config: {},
    services: [aService('t-1', { unusedSince: NOW - 120_000 })],
    wantStops: ['t-1'],
    wantCause: /unused for 120 s/,
  },
  {
    says: 'keeps a service that has been unused for 1 ms less than killUnusedTooManyServersAfter',
    config: {},
    services: [aService('t-1', { unusedSince: NOW - 119_999 })],
  },
  {
    says: 'never stops unused services if killUnusedTooManyServersAfter is -1',
    config: { killUnusedTooManyServersAfter: -1 },
    services: [aService('t-1', long)],
  },
  {
    says: 'stops unused services at once if killUnusedTooManyServersAfter is 0',
    config: { killUnusedTooManyServersAfter: 0 },
    services: [aService('t-1')],
    wantStops: ['t-1'],
  },
  {
    says: 'keeps the minimum number of services, and stops the newest service',
    config: { minimumRunningServers: 1 },
    services: [aService('t-1', long), aService('t-2', long)],
    wantStops: ['t-2'],
  },
  {
    says: 'keeps a ready service for the minimum while another service is still starting',
    config: { minimumRunningServers: 1 },
    services: [aService('t-1', long), aService('t-2', { state: 'STARTING' })],
  },
  {
    says: 'keeps a service that the template capacity needs',
    config: { startNewServiceAtTemplateCapacity: 50 },
    services: [aService('t-1', { state: 'IN_USE', players: 5 }), aService('t-2', long)],
  },
  {
    says: 'withdraws a request that is no longer needed',
    config: {},
    services: [aService('t-1', { state: 'REQUESTED' })],
    wantStops: ['t-1'],
  },
  {
    says: 'keeps a request that a person made, even if it is not needed',
    config: {},
    services: [aService('t-1', { state: 'REQUESTED', manual: true })],
  },
  {
    says: 'stops and replaces a service that counts towards the minimum but no longer answers',
    config: { minimumRunningServers: 1 },
    services: [aService('t-1', { ...long, unresponsive: true })],
    wantRequests: 1,
    wantStops: ['t-1'],
  },
];

/** Plans the scaling of a single template. */
function scaled(template: TemplateSnapshot, fields: Partial<Snapshot> = {}): Scaling {
  const index = indexSnapshot(aSnapshot({ templates: [template], ...fields }));
  return planScaling(template, index, new ReplacementRoom(index));
}

describe('planScaling (how many services a template needs)', () => {
  it.each(cases)('$says', ({ config, services, wantRequests = 0, wantStops = [], wantCause }) => {
    const { requests, stops } = scaled(aTemplate('t', config), { services });
    expect(requests).toHaveLength(wantRequests);
    expect(stops.map((stop) => stop.service)).toEqual(wantStops);
    if (wantCause !== undefined) expect([...requests, ...stops][0]?.cause).toMatch(wantCause);
  });

  it('stops no unused services while newly adopted services have not reported their players', () => {
    const template = aTemplate('t', { minimumRunningServers: 1, startNewServiceAtGlobalCapacity: 70 });
    const services = [aService('t-1', long), aService('t-2', long), aService('t-3', { state: 'REQUESTED' })];
    // Only one of three proxies has reported its players, so the network seems to be far from its limit.
    const known = { services, playersOnProxies: 30 };
    const stopsOf = (awaitsReports: boolean) =>
      scaled(template, { ...known, awaitsReports }).stops.map(({ service }) => service);
    expect(stopsOf(true)).toEqual([]);
    expect(stopsOf(false)).toEqual(['t-3', 't-2']);
  });

  it('assigns increasing numbers to requests, from the next free number', () => {
    const template = aTemplate('t', { minimumRunningServers: 2 }, { nextNumber: 7 });
    const { requests } = scaled(template);
    expect(requests.map((request) => request.service)).toEqual(['t-7', 't-8']);
  });
});

describe('a template whose maximum prevents an empty service', () => {
  const lacks = (config: Partial<TemplateConfig>, ...services: readonly ServiceSnapshot[]): number | null =>
    scaled(aTemplate('t', config), { services }).unmet?.missing ?? null;
  const inUse = (id: string, players: number): ServiceSnapshot => aService(id, { state: 'IN_USE', players });
  const one = { minimumRunningServers: 1, maximumOnlineServers: 1 };
  const two = { minimumRunningServers: 1, maximumOnlineServers: 2 };

  it('is not reported as short of services while its services in use have room', () => {
    expect(lacks(one, inUse('t-1', 1))).toBeNull();
    expect(lacks(one, inUse('t-1', 7))).toBeNull();
    expect(lacks(two, inUse('t-1', 10), inUse('t-2', 5))).toBeNull();
  });

  it('is reported as short of services if its services are full, or if its maximum is below its minimum', () => {
    expect(lacks(one, inUse('t-1', 8))).toBe(1);
    expect(lacks(two, inUse('t-1', 10), inUse('t-2', 6))).toBe(1);
    expect(lacks({ ...one, startNewServiceAtTemplateCapacity: 50 }, inUse('t-1', 5))).toBe(1);
    expect(lacks({ minimumRunningServers: 2, maximumOnlineServers: 1 }, aService('t-1'))).toBe(1);
  });

  it('is reported as short of services if its services in use do not answer', () => {
    expect(lacks(one, aService('t-1', { state: 'IN_USE', unresponsive: true }))).toBe(1);
  });
});
