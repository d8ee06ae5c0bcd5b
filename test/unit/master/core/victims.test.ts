import { describe, expect, it } from 'vitest';
import { plan } from '#master/core/plan.ts';
import type { NodeSnapshot, ServiceSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import type { TemplateConfig } from '#shared/config/template.ts';
import { aNode, aRentedNode, aService, aSnapshot, aTemplate, NOW } from '#test/support/master/snapshots.ts';

const long = { unusedSince: NOW - 1_000_000 };

interface Case {
  readonly says: string;
  readonly config?: Partial<TemplateConfig>;
  readonly services: readonly ServiceSnapshot[];
  readonly nodes: readonly NodeSnapshot[];
  readonly want: readonly string[];
}

const [own, a, b] = [aNode(), aRentedNode('a'), aRentedNode('b')];
const busyOnB = aService('u-2', { state: 'IN_USE', node: 'b' });

const cases: readonly Case[] = [
  {
    says: 'stops a service on a cloud node first, because the local node costs the same either way',
    services: [aService('t-1', { ...long, node: 'a' }), aService('t-2', long)],
    nodes: [own, a],
    want: ['t-1'],
  },
  {
    says: 'stops a service on the node with fewer services in use, because this node is empty sooner',
    services: [aService('t-1', { ...long, node: 'a' }), aService('t-2', { ...long, node: 'b' }), busyOnB],
    nodes: [own, a, b],
    want: ['t-1'],
  },
  {
    says: 'stops a service on the node with less allocated RAM if the numbers of services in use are equal',
    services: [
      aService('t-1', { ...long, node: 'a' }),
      aService('t-2', { ...long, node: 'b' }),
      aService('u-3', { node: 'b', ...long, manual: true }),
    ],
    nodes: [own, a, b],
    want: ['t-1', 'u-3'],
  },
  {
    says: 'does not prefer a service on a protected node, because this node cannot be released',
    services: [aService('t-1', { ...long, node: 'a' }), aService('t-2', { ...long, node: 'b' })],
    nodes: [own, { ...a, locked: true }, b],
    want: ['t-2'],
  },
  {
    says: 'stops the newest service if everything else is equal',
    services: [aService('t-9', { ...long, node: 'a' }), aService('t-10', { ...long, node: 'a' })],
    nodes: [own, a],
    want: ['t-10'],
  },
  {
    says: 'if the maximum is exceeded, stops requested, then starting, then empty services, but no services in use',
    config: { minimumRunningServers: 0, maximumOnlineServers: 1 },
    services: [
      aService('t-1', { state: 'IN_USE' }),
      aService('t-2'),
      aService('t-3', { state: 'STARTING' }),
      aService('t-4', { state: 'REQUESTED', manual: true }),
    ],
    nodes: [own],
    want: ['t-4', 't-3', 't-2'],
  },
  {
    says: 'on a draining node, first stops services that are not up yet, because they would never serve players',
    config: { minimumRunningServers: 0 },
    services: [
      aService('t-1', { node: 'a' }),
      aService('t-2', { node: 'a', state: 'STARTING' }),
      aService('t-3', { node: 'a', state: 'IN_USE' }),
    ],
    nodes: [own, { ...a, state: 'DRAINING' }],
    want: ['t-2', 't-1'],
  },
];

function network({ services, nodes, config }: Case): Snapshot {
  const templates = [aTemplate('t', { minimumRunningServers: 1, ...config }), aTemplate('u')];
  return aSnapshot({ templates, services, nodes });
}

describe('plan (decides which services to stop)', () => {
  it.each(cases.map((one) => [one.says, one] as const))('%s', (_, one) => {
    const stops = plan(network(one)).actions.flatMap((action) =>
      action.kind === 'stop' ? [action.service] : [],
    );
    expect(stops).toEqual(one.want);
  });
});

describe('a service on a draining node', () => {
  const draining = { ...a, state: 'DRAINING' as const };
  const requests = (snapshot: Snapshot) => plan(snapshot).actions.filter(({ kind }) => kind === 'request');

  it('is replaced if it counts towards the minimum and is ready', () => {
    const templates = [aTemplate('t', { minimumRunningServers: 1 })];
    const services = [aService('t-1', { node: 'a' })];
    expect(requests(aSnapshot({ templates, services, nodes: [own, draining] }))).toHaveLength(1);
  });

  it('is replaced if it has players and is the only service of its template', () => {
    const templates = [aTemplate('t', { startNewServiceAtTemplateCapacity: 80 })];
    const services = [aService('t-1', { node: 'a', state: 'IN_USE', players: 5 })];
    expect(requests(aSnapshot({ templates, services, nodes: [own, a] }))).toHaveLength(0);
    expect(requests(aSnapshot({ templates, services, nodes: [own, draining] }))).toHaveLength(1);
  });

  it('runs until another service is ready, and services on lost nodes do not count as ready', () => {
    const templates = [aTemplate('t', { minimumRunningServers: 1 })];
    const lost = { ...b, state: 'LOST' as const, locked: true };
    const services = [aService('t-1', { node: 'b' }), aService('t-2', { node: 'a' })];
    const { actions } = plan(aSnapshot({ templates, services, nodes: [own, draining, lost] }));
    expect(actions).toMatchObject([{ kind: 'request' }]);
  });

  it('is not replaced if it is not needed', () => {
    const services = [aService('t-1', { node: 'a' })];
    expect(requests(aSnapshot({ templates: [aTemplate('t')], services, nodes: [own, draining] }))).toEqual(
      [],
    );
  });
});
