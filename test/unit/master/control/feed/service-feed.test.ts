import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Service } from '#shared/model/service.ts';
import { ServiceFeed, toService } from '#master/control/feed/service-feed.ts';
import { newRecord } from '#master/state/services/records.ts';
import { startedFrom } from '#master/state/services/started-from.ts';
import { aService } from '#test/support/app/models.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';

/** Returns the list of services that an app has after it applied a response. */
function apply(
  known: ReadonlyMap<string, Service>,
  answer: ReturnType<ServiceFeed['since']>,
): Map<string, Service> {
  const next = new Map(answer.complete ? [] : known);
  for (const id of answer.removed) next.delete(id);
  for (const service of answer.services) next.set(service.id, service);
  return next;
}

const services = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 2 })), {
    selector: ([number]) => number,
  })
  .map((list) => list.map(([number, online]) => aService('t', number, { players: { online, max: 10 } })));

describe('the service feed for apps', () => {
  it('sends all changes that an app has missed, even if the app asks rarely', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(services, fc.boolean()), { maxLength: 20 }), (history) => {
        const board = new ServiceFeed();
        let known = new Map<string, Service>();
        let revision: number | undefined;
        for (const [shown, asks] of history) {
          board.update(shown);
          if (!asks) continue;
          const answer = board.since(revision);
          known = apply(known, answer);
          ({ revision } = answer);
          expect([...known.values()].sort(byId)).toEqual([...shown].sort(byId));
        }
      }),
    );
  });

  it('sends nothing if no service has changed', () => {
    const board = new ServiceFeed();
    expect(board.update([aService('t', 1)])).toBe(true);
    const { revision } = board.since(undefined);
    expect(board.update([aService('t', 1)])).toBe(false);
    expect(board.since(revision)).toEqual({ revision, complete: false, services: [], removed: [] });
  });

  it('sends all services to an app whose revision is from an earlier run of the master', () => {
    const board = new ServiceFeed();
    board.update([aService('t', 1)]);
    expect(board.since(99)).toMatchObject({ complete: true, services: [{ id: 't-1' }] });
  });

  it('sends a service when any of its fields has changed', () => {
    const board = new ServiceFeed();
    const before = aService('lobby', 1);
    board.update([before]);
    expect(board.update([structuredClone(before)])).toBe(false);
    const changes: Omit<Service, 'id'> = {
      template: 'games',
      state: 'IN_USE',
      since: 1,
      requestedAt: 1,
      cause: 'another',
      stopping: { since: 1, cause: 'asked for', restart: true },
      draining: { since: 2, cause: 'requested by anna', until: null },
      retiring: { since: 1, cause: 'asked for' },
      outdated: ['files'],
      waiting: { reason: 'HELD', message: 'It is held.', until: null },
      held: true,
      failure: { at: 1, error: { code: 'DISK_FULL', details: { path: '/x' }, message: 'full' }, attempts: 1 },
      node: null,
      address: { host: '127.0.0.1', port: 1 },
      players: { online: 7, max: 50 },
      ramMb: 1,
      revision: 'another',
      unusedSince: 77,
      unresponsive: true,
      pid: 77,
      plugin: { state: 'linked', platform: 'velocity', software: 'Velocity 3', version: '1', since: 1 },
    };
    for (const [field, value] of Object.entries(changes)) {
      expect(board.update([{ ...before, [field]: value }]), field).toBe(true);
      expect(board.update([before]), `${field} and back`).toBe(true);
    }
  });
});

function byId(a: Service, b: Service): number {
  return a.id < b.id ? -1 : 1;
}

it.each([
  [30, 30],
  [-1, 20],
])('sends a service that reports %i slots with %i slots', (max, slots) => {
  const record = newRecord({ id: 'x-1', template: 'x', requestedAt: 1, cause: 'test', manual: false });
  const placed = startedFrom(serviceSpec({ id: 'x-1' }));
  expect(placed.values.maxPlayers).toBe(20);
  Object.assign(record, { placed, state: 'RUNNING', players: { online: 3, max } });
  const service = toService(record, { ramMb: 0, outdated: [], shownHost: '127.0.0.1' });
  expect(service.players).toEqual({ online: 3, max: slots });
});
