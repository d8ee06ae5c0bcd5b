import { describe, expect, it } from 'vitest';
import { plan } from '#master/core/plan.ts';
import { apply } from '#master/core/snapshot/apply.ts';
import type { ServiceSnapshot, Snapshot, VolumeSnapshot } from '#master/core/snapshot/snapshot.ts';
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
const WHY = 'Volume survival/1 was not saved: volumes.quota.total allows 10 MB.';
const old = { retiring: true };

/** Returns the volume of a service on a node; with `why`, its last save failed. */
function aVolume(service: string, why: string | null = WHY, node = 'local'): VolumeSnapshot {
  return { service, attachedTo: node, mayBeUnsaved: true, cachedOn: node, problem: null, unsavable: why };
}

/** Returns the snapshot of a network with one template that keeps its worlds. */
function aNetwork(
  services: readonly ServiceSnapshot[],
  volumes: readonly VolumeSnapshot[],
  { nodes = [aNode()], ...config }: Partial<TemplateConfig> & Partial<Pick<Snapshot, 'nodes'>> = {},
): Snapshot {
  const templates = [aTemplate('survival', { persistentPaths: ['world*'], ...config })];
  return aSnapshot({ templates, services, volumes, nodes, market: aMarket() });
}

function kinds({ actions }: Pick<ReturnType<typeof plan>, 'actions'>): string[] {
  return actions.map((one) => `${one.kind} ${'service' in one ? one.service : one.node}`);
}

function unused(number: number, fields: Partial<ServiceSnapshot> = {}): ServiceSnapshot {
  return aService(`survival-${number}`, { unusedSince: NOW - HOUR, ...fields });
}

describe('a service whose volume cannot be saved', () => {
  it('is not stopped when it is unused, and no service with a lower number stops in its place', () => {
    const services = [1, 2, 3].map((number) => unused(number));
    const savable = aNetwork(services, [], { minimumRunningServers: 1 });
    expect(kinds(plan(savable))).toEqual(['stop survival-3', 'stop survival-2']);
    const failing = aNetwork(services, [aVolume('survival-3')], { minimumRunningServers: 1 });
    expect(kinds(plan(failing))).toEqual(['stop survival-2']);
    // The service still counts, so the plan requests no other service in its place.
    const alone = aNetwork([unused(3)], [aVolume('survival-3')], { minimumRunningServers: 1 });
    expect(kinds(plan(alone))).toEqual([]);
  });

  it('is not stopped when the maximum is exceeded, and no other service stops in its place', () => {
    const services = [aService('survival-1'), aService('survival-2')];
    const config = { maximumOnlineServers: 1, minimumRunningServers: 1, killUnusedTooManyServersAfter: -1 };
    expect(kinds(plan(aNetwork(services, [], config)))).toEqual(['stop survival-2']);
    expect(kinds(plan(aNetwork(services, [aVolume('survival-2')], config)))).toEqual([]);
    const crashed = [aService('survival-1'), aService('survival-2', { restarting: true })];
    expect(kinds(plan(aNetwork(crashed, [aVolume('survival-2')], config)))).toEqual([]);
  });

  it('is not stopped even if its template was deleted by hand', () => {
    const snapshot = { services: [aService('gone-1'), aService('gone-2')], volumes: [aVolume('gone-1')] };
    expect(kinds(plan(aSnapshot(snapshot)))).toEqual(['stop gone-2']);
  });

  it('is not stopped while its template is being deleted, unlike services that can be saved', () => {
    const templates = [aTemplate('survival', { persistentPaths: ['world*'] }, { leaving: true })];
    const services = [aService('survival-1'), aService('survival-2')];
    const planned = plan(aSnapshot({ templates, services, volumes: [aVolume('survival-1')] }));
    expect(kinds(planned)).toEqual(['stop survival-2']);
    expect(planned.unmet.get('survival')).toMatchObject({
      ...{ missing: 0, wait: { reason: 'VOLUME_UNSAVABLE' } },
    });
  });

  it('is withdrawn while it waits for its start, because it has no files on a node', () => {
    const services = [aService('survival-1'), aService('survival-2', { state: 'REQUESTED' })];
    const volumes = [aVolume('survival-2', WHY, 'node-1')];
    const snapshot = aNetwork(services, volumes, { minimumRunningServers: 1 });
    expect(kinds(plan(snapshot))).toEqual(['stop survival-2']);
  });

  it('prevents the rules from draining its node, and the reason is shown', () => {
    const nodes = [aNode(), aRentedNode('node-1')];
    const services = [aService('survival-1'), aService('survival-2', { node: 'node-1', state: 'IN_USE' })];
    const network = (volumes: readonly VolumeSnapshot[]) =>
      plan(aNetwork(services, volumes, { minimumRunningServers: 1, nodes }));
    expect(kinds(network([]))).toEqual(['drain node-1']);
    const { actions, kept } = network([aVolume('survival-2', WHY, 'node-1')]);
    expect(actions).toEqual([]);
    expect(kept.get('node-1')?.message).toBe(`survival-2 cannot be saved now. ${WHY}`);
  });

  it.each([{ leaving: false }, { leaving: true }])(
    'is not stopped on a node that a person drains (release: $leaving), and the node says why',
    ({ leaving }) => {
      const node = aRentedNode('node-1', { state: 'DRAINING', leaving });
      const services = [aService('survival-1', { node: 'node-1' }), aService('survival-2')];
      const volumes = [aVolume('survival-1', WHY, 'node-1')];
      const planned = plan(aNetwork(services, volumes, { nodes: [aNode(), node] }));
      expect(kinds(planned)).toEqual([]);
      expect(planned.kept.get('node-1')).toEqual({
        reason: 'UNSAVED',
        message: `It is being drained, and waits for survival-1, which cannot be saved now. ${WHY}`,
      });
      expect(planned.unmet.get('survival')?.wait.message).toContain('survival-1 cannot be saved now');
    },
  );

  it('stays in the preview after a person has stopped it, and no other service starts in its place', () => {
    const config = { minimumRunningServers: 1 };
    const network = (why: string | null) =>
      aNetwork([aService('survival-1', { stopping: true })], [aVolume('survival-1', why)], config);
    expect(apply(network(WHY), { actions: [] }).services).toMatchObject([{ stopping: true }]);
    expect(apply(network(null), { actions: [] }).services).toEqual([]);
    expect(kinds(plan(apply(network(WHY), { actions: [] })))).toEqual([]);
    expect(kinds(plan(apply(network(null), { actions: [] })))).toEqual(['request survival-1']);
  });
});

describe('the rolling restart of a template with persistent paths', () => {
  const config = { minimumRunningServers: 1, killUnusedTooManyServersAfter: -1 };

  it('waits while one of its services cannot be saved, and stops no other service', () => {
    const services = [1, 2, 3].map((number) => aService(`survival-${number}`, old));
    expect(kinds(plan(aNetwork(services, [], config)))).toEqual(['stop survival-3']);
    for (const number of [1, 3]) {
      const planned = plan(aNetwork(services, [aVolume(`survival-${number}`)], config));
      expect(kinds(planned)).toEqual([]);
      expect(planned.unmet.get('survival')).toEqual({
        missing: 0,
        wait: {
          ...{ reason: 'VOLUME_UNSAVABLE', until: null },
          message: `The rolling restart of template survival waits, because survival-${number} cannot be saved now. ${WHY} It continues once survival-${number} is saved.`,
        },
      });
    }
  });

  it('waits while the data of a stopping service cannot be saved', () => {
    const services = [aService('survival-1', old), aService('survival-2', { ...old, stopping: true })];
    const planned = plan(aNetwork(services, [aVolume('survival-2')], config));
    expect(kinds(planned)).toEqual([]);
    expect(planned.unmet.get('survival')?.wait.message).toContain('survival-2 cannot be saved now');
  });

  it('stops the next service only after the previous service has been saved and is up again', () => {
    const services = [1, 2, 3].map((number) => aService(`survival-${number}`, old));
    const [first, second, third] = services;
    if (first === undefined || second === undefined || third === undefined) throw new Error('three');
    const stopping = { ...third, stopping: true };
    expect(kinds(plan(aNetwork([first, second, stopping], [], config)))).toEqual([]);
    const isSaved = [first, second, aService('survival-3', { state: 'STARTING' })];
    expect(kinds(plan(aNetwork(isSaved, [], config)))).toEqual([]);
    const isUp = [first, second, aService('survival-3')];
    expect(kinds(plan(aNetwork(isUp, [], config)))).toEqual(['stop survival-2']);
  });

  it('waits while the data of a service that a person restarts cannot be saved', () => {
    const services = [aService('survival-1', old), aService('survival-2', { restarting: true })];
    const planned = plan(aNetwork(services, [aVolume('survival-2')], config));
    expect(kinds(planned)).toEqual([]);
    expect(planned.unmet.get('survival')?.wait.reason).toBe('VOLUME_UNSAVABLE');
  });

  it('does not wait for a service that is not replaced', () => {
    const services = [aService('survival-1', old), aService('survival-2')];
    expect(kinds(plan(aNetwork(services, [aVolume('survival-2')], config)))).toEqual(['stop survival-1']);
  });

  it('continues after the save has succeeded', () => {
    const services = [aService('survival-1', old)];
    expect(kinds(plan(aNetwork(services, [aVolume('survival-1')], config)))).toEqual([]);
    expect(kinds(plan(aNetwork(services, [aVolume('survival-1', null)], config)))).toEqual([
      'stop survival-1',
    ]);
  });
});
