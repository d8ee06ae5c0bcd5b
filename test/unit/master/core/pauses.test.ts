import { describe, expect, it } from 'vitest';
import { plan } from '#master/core/plan.ts';
import { apply } from '#master/core/snapshot/apply.ts';
import type { NodeSnapshot, ServiceSnapshot } from '#master/core/snapshot/snapshot.ts';
import { aNode, aRentedNode, aService, aSnapshot, aTemplate, NOW } from '#test/support/master/snapshots.ts';

const long = { unusedSince: NOW - 1_000_000 };

describe('a paused service', () => {
  it('is not stopped as unused, while other unused services of its template are stopped', () => {
    const services = [aService('t-1', { ...long, held: true }), aService('t-2', long)];
    const { actions } = plan(aSnapshot({ templates: [aTemplate('t')], services }));
    expect(actions).toMatchObject([{ kind: 'stop', service: 't-2' }]);
  });

  it('keeps running if its template has too many services, and another service is stopped instead', () => {
    const services = [aService('t-1'), aService('t-2', { held: true })];
    const { actions } = plan(
      aSnapshot({ templates: [aTemplate('t', { maximumOnlineServers: 1 })], services }),
    );
    expect(actions).toMatchObject([{ kind: 'stop', service: 't-1' }]);
  });

  it('is not stopped when its template is deleted or its node is drained', () => {
    const services = [aService('gone-1', { held: true }), aService('t-1', { held: true, node: 'b' })];
    const nodes = [aNode(), aNode({ id: 'b', state: 'DRAINING' })];
    expect(plan(aSnapshot({ templates: [aTemplate('t')], services, nodes })).actions).toEqual([]);
  });

  it('counts towards the minimum, so that no further service is requested', () => {
    const templates = [aTemplate('t', { minimumRunningServers: 1 })];
    expect(plan(aSnapshot({ templates, services: [aService('t-1', { held: true })] })).actions).toEqual([]);
  });

  it('counts towards the minimum even after it has stopped, so that no other service replaces it', () => {
    const templates = [aTemplate('t', { minimumRunningServers: 1 })];
    const services = [aService('t-1', { state: 'REQUESTED', held: true })];
    const { actions, waiting } = plan(aSnapshot({ templates, services }));
    expect(actions).toEqual([]);
    expect(waiting.get('t-1')?.reason).toBe('HELD');
  });

  it.each<{ says: string; node?: Partial<NodeSnapshot>; leaving: Partial<ServiceSnapshot> }>([
    { says: 'on a node that is being drained', node: { state: 'DRAINING' }, leaving: {} },
    { says: 'that a rolling restart replaces', leaving: { retiring: true } },
  ])('does not replace a service $says, after it has stopped', ({ node = {}, leaving }) => {
    const config = { minimumRunningServers: 1 };
    const before = aSnapshot({
      templates: [aTemplate('t', config)],
      services: [
        aService('t-1', { node: 'a', ...leaving }),
        aService('t-2', { state: 'REQUESTED', held: true }),
      ],
      nodes: [aNode({ id: 'a', ...node }), aNode({ id: 'b' })],
    });
    expect(plan(before).actions).toMatchObject([{ kind: 'request', service: 't-100' }]);
    const requested = [...before.services, aService('t-100', { state: 'REQUESTED' })];
    expect(plan({ ...before, services: requested }).actions).toMatchObject([
      { kind: 'start', service: 't-100' },
    ]);
    const ready = [...before.services, aService('t-100', { node: 'b' })];
    expect(plan({ ...before, services: ready }).actions).toMatchObject([{ kind: 'stop', service: 't-1' }]);
    const after = ready.filter(({ id }) => id !== 't-1').map((one) => ({ ...one, unusedSince: 0 }));
    expect(plan({ ...before, services: after }).actions).toEqual([]);
  });

  it('provides no slots for the players of a service that leaves, after it has stopped', () => {
    const templates = [aTemplate('t', { startNewServiceAtTemplateCapacity: 50 })];
    const services = [
      aService('t-1', { node: 'a' }),
      aService('t-2', { state: 'REQUESTED', held: true }),
      aService('t-3', { node: 'b', state: 'IN_USE', players: 6 }),
    ];
    const nodes = [aNode({ id: 'a' }), aNode({ id: 'b' })];
    expect(plan(aSnapshot({ templates, services, nodes })).actions).toEqual([]);
    const drained = nodes.map((one) => (one.id === 'a' ? { ...one, state: 'DRAINING' as const } : one));
    const { actions } = plan(aSnapshot({ templates, services, nodes: drained }));
    expect(actions).toMatchObject([{ kind: 'request', service: 't-100' }]);
  });

  it.each([
    { room: 'one service', ramMb: 2_500, want: [] },
    { room: 'two services', ramMb: 4_000, want: [{ kind: 'drain', node: 'node-1' }] },
  ])(
    'lets the rules drain a node only if all replacements have room: with room for $room',
    ({ ramMb, want }) => {
      const paused = ['t-2', 't-3'].map((id) => aService(id, { state: 'REQUESTED', held: true }));
      const { actions } = plan(
        aSnapshot({
          templates: [aTemplate('t', { minimumRunningServers: 2 })],
          services: [aService('t-1', { node: 'node-1' }), ...paused],
          nodes: [aNode({ ramMb }), aRentedNode('node-1')],
        }),
      );
      expect(actions).toMatchObject(want);
    },
  );

  it('counts towards the maximum, and its RAM remains allocated on its node', () => {
    const templates = [aTemplate('t', { minimumRunningServers: 2, maximumOnlineServers: 2 })];
    const inUse = { state: 'IN_USE', players: 8 } as const;
    const services = [aService('t-1', { ...inUse, held: true }), aService('t-2', inUse)];
    const { actions, unmet } = plan(aSnapshot({ templates, services }));
    expect(actions).toEqual([]);
    expect(unmet.get('t')?.wait.reason).toBe('CAP_REACHED');
    const asked = [aService('t-1', { held: true }), aService('t-2', { state: 'REQUESTED', manual: true })];
    const tight = aSnapshot({
      templates: [aTemplate('t')],
      services: asked,
      nodes: [aNode({ ramMb: 2_000 })],
    });
    expect(plan(tight).waiting.get('t-2')?.reason).toBe('RAM_FULL');
  });

  it('does not start again after its process has exited', () => {
    const services = [aService('t-1', { held: true, restarting: true, staysStopped: true })];
    const stopped = apply(aSnapshot({ templates: [aTemplate('t')], services }), { actions: [] });
    expect(stopped.services).toMatchObject([{ state: 'REQUESTED', node: null }]);
    const { actions, waiting } = plan(stopped);
    expect(actions).toEqual([]);
    expect(waiting.get('t-1')?.reason).toBe('HELD');
  });

  it('starts again once the pause ends', () => {
    const templates = [aTemplate('t', { minimumRunningServers: 1 })];
    const services = [aService('t-1', { state: 'REQUESTED' })];
    expect(plan(aSnapshot({ templates, services })).actions).toMatchObject([
      { kind: 'start', service: 't-1' },
    ]);
  });
});

describe('a paused template', () => {
  const held = aTemplate('t', { minimumRunningServers: 3, maximumOnlineServers: 4 }, { held: true });

  it('requests no services, and the pause is reported as the reason', () => {
    const { actions, unmet } = plan(aSnapshot({ templates: [held] }));
    expect(actions).toEqual([]);
    expect(unmet.get('t')).toMatchObject({ missing: 3, wait: { reason: 'HELD' } });
  });

  it('starts only services that a person has requested and that were not up before', () => {
    const services = [
      aService('t-1', { state: 'REQUESTED' }),
      aService('t-2', { state: 'REQUESTED', manual: true }),
      aService('t-3', { state: 'REQUESTED', manual: true, wasUp: true }),
    ];
    const { actions, waiting } = plan(aSnapshot({ templates: [held], services }));
    expect(actions).toMatchObject([{ kind: 'start', service: 't-2' }]);
    expect([waiting.get('t-1')?.reason, waiting.get('t-3')?.reason]).toEqual(['HELD', 'HELD']);
  });

  it('stops no services, even unused services or services above its maximum', () => {
    const services = [1, 2, 3, 4, 5].map((n) => aService(`t-${n}`, long));
    expect(plan(aSnapshot({ templates: [held], services })).actions).toEqual([]);
  });

  it('does not affect other templates', () => {
    const templates = [held, aTemplate('u', { minimumRunningServers: 1 })];
    expect(plan(aSnapshot({ templates })).actions).toMatchObject([{ kind: 'request', template: 'u' }]);
  });
});

describe('a paused node', () => {
  it('gets no new services, but its own services count towards the minimum', () => {
    const nodes = [aNode({ id: 'a', held: true }), aNode({ id: 'b', ramMb: 1_000 })];
    const services = [aService('t-1', { node: 'a' }), aService('t-2', { state: 'REQUESTED', manual: true })];
    const { actions, waiting } = plan(
      aSnapshot({ templates: [aTemplate('t', { minimumRunningServers: 1 })], nodes, services }),
    );
    expect(actions).toEqual([]);
    expect(waiting.get('t-2')?.reason).toBe('RAM_FULL');
  });

  it('keeps all its services: they are neither stopped nor replaced', () => {
    const nodes = [aNode({ held: true }), aNode({ id: 'b' })];
    const templates = [aTemplate('t', { minimumRunningServers: 1 })];
    expect(plan(aSnapshot({ templates, nodes, services: [aService('t-1')] })).actions).toEqual([]);
  });
});

describe('a node that accepts no new services', () => {
  const requested = aService('t-1', { state: 'REQUESTED', manual: true });

  it.each(['CORDONED', 'DRAINING', 'LOST', 'ORDERED', 'BOOTING', 'DELETING'] as const)(
    'gets no services while it is %s',
    (state) => {
      const { actions } = plan(
        aSnapshot({ templates: [aTemplate('t')], services: [requested], nodes: [aNode({ state })] }),
      );
      expect(actions).toEqual([]);
    },
  );

  it('keeps its services while it is cordoned, and they count towards the minimum', () => {
    const templates = [aTemplate('t', { minimumRunningServers: 1 })];
    const nodes = [aNode({ state: 'CORDONED' }), aNode({ id: 'b' })];
    expect(plan(aSnapshot({ templates, nodes, services: [aService('t-1')] })).actions).toEqual([]);
  });

  it('loses its empty services while it drains, once enough services on other nodes are ready', () => {
    const templates = [aTemplate('t', { minimumRunningServers: 1 })];
    const nodes = [aNode({ id: 'a', state: 'DRAINING' }), aNode({ id: 'b' })];
    const [empty, busy] = [aService('t-1', { node: 'a' }), aService('t-2', { node: 'a', state: 'IN_USE' })];
    const before = aSnapshot({ templates, nodes, services: [empty, busy] });
    expect(plan(before).actions).toMatchObject([{ kind: 'request' }]);
    const after = { ...before, services: [empty, busy, aService('t-3', { node: 'b' })] };
    expect(plan(after).actions).toMatchObject([{ kind: 'stop', service: 't-1' }]);
  });
});
