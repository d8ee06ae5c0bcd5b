import { describe, expect, it } from 'vitest';
import { previewPlan } from '#master/core/preview-plan.ts';
import { plan } from '#master/core/plan.ts';
import { apply } from '#master/core/snapshot/apply.ts';
import type { ServiceSnapshot } from '#master/core/snapshot/snapshot.ts';
import type { TemplateConfig } from '#shared/config/template.ts';
import {
  aMarket,
  aNode,
  aRentedNode,
  aService,
  aSnapshot,
  aTemplate,
  NOW,
} from '#test/support/master/snapshots.ts';

const HOUR = 3_600_000;

/** Returns the plan of a network with one template that keeps its worlds. */
function planFor(
  services: readonly ServiceSnapshot[],
  config: Partial<TemplateConfig> = {},
  rest: Parameters<typeof aSnapshot>[0] = {},
) {
  return plan(
    aSnapshot({
      templates: [aTemplate('survival', { persistentPaths: ['world*'], ...config })],
      services,
      ...rest,
    }),
  );
}

function kinds({ actions }: ReturnType<typeof plan>): string[] {
  return actions.map((one) => `${one.kind} ${'service' in one ? one.service : one.node}`);
}

const lost = aRentedNode('node-1', { state: 'LOST' });
const attached = {
  ...{ service: 'survival-1', attachedTo: 'node-1', mayBeUnsaved: true, cachedOn: 'node-1' },
  ...{ problem: null, unsavable: null },
};

describe('services of a template with persistent paths', () => {
  it('get the lowest numbers that are free', () => {
    const services = [
      aService('survival-1', { state: 'IN_USE' }),
      aService('survival-3', { state: 'IN_USE' }),
    ];
    expect(kinds(planFor(services, { minimumRunningServers: 2 }))).toEqual([
      'request survival-2',
      'request survival-4',
    ]);
  });

  it('reuse unused worlds before they get new worlds, except for copies and worlds that cannot be used', () => {
    const services = [aService('survival-1', { state: 'IN_USE' })];
    const world = { ...attached, attachedTo: null };
    const volumes = [
      ...['survival-1', 'survival-9', 'survival-7', 'lobby-2'].map((service) => ({ ...world, service })),
      { ...world, service: 'survival-3', cachedOn: null },
      { ...world, service: 'survival-4', problem: 'It is damaged.' },
      { ...attached, service: 'survival-5' },
    ];
    expect(kinds(planFor(services, { minimumRunningServers: 3 }, { volumes }))).toEqual([
      'request survival-7',
      'request survival-9',
      'request survival-2',
    ]);
  });

  it('start again with the same number after a stop, and no other service replaces them', () => {
    const stopping = [
      aService('survival-1', { stopping: true }),
      aService('survival-2', { state: 'IN_USE' }),
    ];
    expect(kinds(planFor(stopping, { minimumRunningServers: 1 }))).toEqual([]);
    expect(kinds(planFor(stopping.slice(1), { minimumRunningServers: 1 }))).toEqual(['request survival-1']);
  });

  it('are stopped in descending order of their numbers', () => {
    const services = ['survival-1', 'survival-2', 'survival-10'].map((id) =>
      aService(id, { unusedSince: NOW - HOUR }),
    );
    expect(kinds(planFor(services, { minimumRunningServers: 1 }))).toEqual([
      'stop survival-10',
      'stop survival-2',
    ]);
  });

  it('stop on a draining node once they are empty, even if no other service is ready', () => {
    const nodes = [aNode(), aRentedNode('node-1', { state: 'DRAINING', drainedByRules: false })];
    const volumes = [attached];
    const empty = planFor(
      [aService('survival-1', { node: 'node-1' })],
      { minimumRunningServers: 1 },
      { nodes, volumes },
    );
    expect(kinds(empty)).toEqual(['stop survival-1']);
    const used = [aService('survival-1', { node: 'node-1', state: 'IN_USE' })];
    expect(kinds(planFor(used, { maximumOnlineServers: 1 }, { nodes, volumes }))).toEqual([]);
  });

  it('stay on a draining node while they cannot start on another node', () => {
    const nodes = [aRentedNode('node-1', { state: 'DRAINING', drainedByRules: false })];
    const template = aTemplate('survival', { persistentPaths: ['world*'] }, { problem: 'a link.' });
    const services = [aService('survival-1', { node: 'node-1' })];
    expect(kinds(plan(aSnapshot({ templates: [template], services, nodes, volumes: [attached] })))).toEqual(
      [],
    );
  });

  it('are not replaced while a lost node has their unsaved data, and the node is not released', () => {
    const services = [aService('survival-1', { node: 'node-1', state: 'IN_USE' })];
    const planned = planFor(services, {}, { nodes: [aNode(), lost], volumes: [attached], market: aMarket() });
    expect(kinds(planned)).toEqual([]);
    expect(planned.kept.get('node-1')).toMatchObject({ reason: 'UNSAVED' });
    const saved = planFor(services, {}, { nodes: [aNode(), lost], market: aMarket() });
    expect(kinds(saved)).toEqual(['release node-1']);
  });

  it('do not prevent the release of a lost node on which they were only being prepared', () => {
    const services = [aService('survival-1', { node: 'node-1', state: 'PREPARING' })];
    const volumes = [{ ...attached, mayBeUnsaved: false }];
    const nodes = [aNode(), lost];
    expect(kinds(planFor(services, {}, { nodes, volumes, market: aMarket() }))).toEqual(['release node-1']);
    // Their start may still continue on the node, so they start nowhere else before its release.
    const requested = [aService('survival-1', { state: 'REQUESTED' })];
    const waiting = planFor(requested, { minimumRunningServers: 1 }, { nodes, volumes }).waiting;
    expect(waiting.get('survival-1')?.message).toContain('starts again once node-1 answers or is deleted');
  });

  it('prevent the release of a lost node that has unsaved files, even if the service of these files no longer exists', () => {
    const nodes = [aNode(), { ...lost, unsaved: ['survival-2'] }];
    const planned = planFor([], {}, { nodes, market: aMarket() });
    expect(kinds(planned)).toEqual([]);
    expect(planned.kept.get('node-1')).toMatchObject({ reason: 'UNSAVED' });
  });

  it('prevent the release of a lost node with unsaved data, and the advice depends on the kind of data', () => {
    const adviceWith = (node: Partial<typeof lost>, volumes: readonly (typeof attached)[] = []) =>
      planFor([], {}, { nodes: [aNode(), { ...lost, ...node }], volumes, market: aMarket() }).kept.get(
        'node-1',
      )?.message;
    expect(adviceWith({}, [attached])).toContain('an admin accepts its loss');
    // An admin cannot accept the loss of data that does not belong to an attached volume.
    const separate = adviceWith({ unsaved: ['survival-2'] });
    expect(separate).toContain('Copy the data from the node, or release the node');
    expect(separate).not.toContain('loss');
    const leaving = adviceWith({ unsaved: ['survival-2'], leaving: true });
    expect(leaving).toContain('once the data is stored as a separate save');
    expect(leaving).not.toContain('release the node');
    expect(adviceWith({ unsaved: ['survival-2'] }, [attached])).toContain('once all data is saved');
  });

  it('wait if their volume is damaged, and the node that may have the newest data is kept', () => {
    const services = [aService('survival-1', { state: 'REQUESTED' })];
    const volumes = [{ ...attached, cachedOn: null, problem: 'volume.json cannot be read.' }];
    const planned = planFor(services, { minimumRunningServers: 1 }, { nodes: [aNode(), lost], volumes });
    expect(kinds(planned)).toEqual([]);
    expect(planned.waiting.get('survival-1')).toMatchObject({ reason: 'VOLUME_DAMAGED' });
    expect(planned.kept.get('node-1')).toMatchObject({ reason: 'UNSAVED' });
  });

  it('wait while a lost node has unsaved data of their volumes', () => {
    const services = [aService('survival-1', { state: 'REQUESTED' })];
    const planned = planFor(
      services,
      { minimumRunningServers: 1 },
      { nodes: [aNode(), lost], volumes: [attached] },
    );
    expect(kinds(planned)).toEqual([]);
    expect(planned.waiting.get('survival-1')).toMatchObject({ reason: 'VOLUME_ATTACHED' });
  });

  it('start on the node that stores most of their data if the node has enough RAM', () => {
    const services = [aService('survival-1', { state: 'REQUESTED' })];
    const volumes = [{ ...attached, attachedTo: null }];
    const start = (ramMb: number): string | undefined => {
      const nodes = [aNode({ id: 'small', ramMb: 1_500 }), aRentedNode('node-1', { ramMb })];
      const [first] = planFor(services, { minimumRunningServers: 1 }, { nodes, volumes }).actions;
      return first?.kind === 'start' ? first.node : undefined;
    };
    expect(start(7_168)).toBe('node-1');
    expect(start(1_000)).toBe('small');
  });
});

describe('the volume of a service after a plan was applied', () => {
  const nodes = [aNode(), lost];
  const requested = aService('survival-1', { state: 'REQUESTED' });
  const stopping = aService('survival-1', { stopping: true });
  const onLostNode = aService('survival-1', { node: 'node-1', state: 'IN_USE' });
  const stop = { kind: 'stop', service: 'survival-1', cause: 'a test' } as const;
  const release = { kind: 'release', node: 'node-1', cause: 'a test' } as const;
  const onLocal = { ...attached, attachedTo: 'local' };

  it.each([
    { case: 'stays attached to a lost node', services: [requested], actions: [], to: 'node-1' },
    { case: 'stays attached to a lost node without a service', services: [], actions: [], to: 'node-1' },
    {
      case: 'stays attached while its service is on a lost node',
      services: [onLostNode],
      actions: [stop],
      to: 'node-1',
    },
    { case: 'is detached once its node is released', services: [requested], actions: [release], to: null },
    {
      case: 'is detached once its service has exited',
      services: [stopping],
      actions: [],
      volume: onLocal,
      to: null,
    },
  ] as const)('$case', ({ services, actions, to, ...rest }) => {
    const volumes = ['volume' in rest ? rest.volume : attached];
    const after = apply(aSnapshot({ services, nodes, volumes }), { actions });
    expect(after.volumes.map(({ attachedTo }) => attachedTo)).toEqual([to]);
  });

  it('is attached to the node on which the service starts', () => {
    const start = { kind: 'start', service: 'survival-1', node: 'local', cause: 'a test' } as const;
    const volumes = [{ ...attached, attachedTo: null, mayBeUnsaved: false }];
    const after = apply(aSnapshot({ services: [requested], nodes, volumes }), { actions: [start] });
    expect(after.volumes).toEqual([{ ...attached, attachedTo: 'local', cachedOn: 'local' }]);
  });

  it('makes the service wait in the preview while the volume is attached to a lost node', () => {
    const templates = [aTemplate('survival', { persistentPaths: ['world*'], minimumRunningServers: 1 })];
    const { actions } = previewPlan(aSnapshot({ templates, services: [], nodes, volumes: [attached] }));
    expect(actions.map(({ kind, service }) => `${kind} ${service}`)).toEqual(['request survival-1']);
  });
});
