import { describe, expect, it } from 'vitest';
import { aNode, aRentedNode, aService } from '#test/support/master/snapshots.ts';
import { actionsOf, type Case } from './planned-case.ts';

describe('a restarting service', () => {
  const again = { restarting: true, manual: true };
  it.each<Case>([
    { says: 'counts as starting while it stops', services: [aService('t-1', again)], want: [] },
    {
      says: 'is not stopped by any rule while it restarts',
      config: { minimumRunningServers: 0, maximumOnlineServers: 0 },
      services: [aService('t-1', again)],
      want: [],
    },
    {
      says: 'starts again even if it is not needed, and even if the service and its template are paused',
      config: { minimumRunningServers: 0 },
      template: { held: true },
      services: [aService('t-1', { ...again, held: true, state: 'REQUESTED' })],
      want: ['start t-1'],
    },
    {
      says: 'is not replaced if its node is draining, because it starts again on another node',
      services: [aService('t-1', { ...again, node: 'n' })],
      nodes: [aNode(), aRentedNode('n', { state: 'DRAINING' })],
      want: [],
    },
    {
      says: 'is replaced if its node is lost',
      services: [aService('t-1', { ...again, node: 'n' })],
      nodes: [aNode(), aNode({ id: 'n', state: 'LOST' })],
      want: ['request t-100'],
    },
  ])('$says', (one) => {
    expect(actionsOf(one)).toEqual(one.want);
  });
});

describe('a template that is being deleted', () => {
  it.each<Case>([
    {
      says: 'gets no new services, and its unused services are stopped',
      config: { startNewServiceAtTemplateCapacity: 10 },
      services: [
        aService('t-1', { state: 'IN_USE', players: 9 }),
        aService('t-2'),
        aService('t-3', { state: 'REQUESTED', manual: true }),
        aService('t-4', { restarting: true }),
      ],
      want: ['stop t-3', 'stop t-4', 'stop t-2'],
    },
    {
      says: 'loses its unused services, even if the template is paused, but keeps paused services',
      template: { held: true },
      services: [aService('t-1'), aService('t-2', { held: true })],
      want: ['stop t-1'],
    },
  ])('$says', ({ template = {}, ...one }) => {
    expect(actionsOf({ ...one, template: { ...template, leaving: true } })).toEqual(one.want);
  });
});

describe('a node that a person wants to release', () => {
  const given = aRentedNode('n', { state: 'DRAINING', leaving: true });
  it('is released once it is empty, even at the beginning of its paid hour', () => {
    expect(actionsOf({ says: '', services: [aService('t-1')], nodes: [aNode(), given], want: [] })).toEqual([
      'release n',
    ]);
  });

  it.each([{ locked: true }, { held: true }])(
    'is not released while it is protected or paused: %o',
    (kept) => {
      const nodes = [aNode(), { ...given, ...kept }];
      expect(actionsOf({ says: '', services: [aService('t-1')], nodes, want: [] })).toEqual([]);
    },
  );
});
