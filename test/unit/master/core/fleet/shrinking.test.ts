import { describe, expect, it } from 'vitest';
import { previewPlan } from '#master/core/preview-plan.ts';
import { plan } from '#master/core/plan.ts';
import type { NodeSnapshot, ServiceSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import {
  aMarket,
  aNode,
  aRentedNode,
  aService,
  aSnapshot,
  aTemplate,
  ms,
  NOW,
} from '#test/support/master/snapshots.ts';

/** Returns the cloud node `node-1`, ordered this long ago. */
function rentedFor(clock: string, fields: Partial<NodeSnapshot> = {}): NodeSnapshot {
  return aRentedNode('node-1', {
    rental: { type: 'cpx32', since: NOW - ms(clock), hourlyPrice: 0.02 },
    ...fields,
  });
}

function network(
  node: NodeSnapshot,
  services: readonly ServiceSnapshot[] = [],
  fields: Partial<Snapshot> = {},
) {
  return aSnapshot({
    templates: [
      aTemplate('t', { minimumRunningServers: services.filter(({ state }) => state === 'RUNNING').length }),
    ],
    services: [aService('t-9', { state: 'IN_USE', ramMb: 1_000 }), ...services],
    nodes: [aNode({ ramMb: 20_000 }), node],
    ...fields,
  });
}

/** Returns the action for `node-1`, or the reason why it is kept. */
function fate(snapshot: Snapshot): string {
  const { actions, kept } = plan(snapshot);
  const act = actions.find(
    (action) => 'node' in action && action.node === 'node-1' && action.kind !== 'start',
  );
  return act?.kind ?? kept.get('node-1')?.reason ?? 'nothing';
}

describe('an empty node, while a service on another node restarts', () => {
  const again = aService('t-9', { restarting: true, manual: true });
  it.each<{ says: string; own: Partial<NodeSnapshot>; want: string }>([
    { says: 'can restart on its own node', own: {}, want: 'release' },
    { says: 'runs on a cordoned node', own: { state: 'CORDONED' }, want: 'NEEDED' },
    { says: 'runs on a draining node', own: { state: 'DRAINING' }, want: 'NEEDED' },
    { says: 'runs on a paused node', own: { held: true }, want: 'NEEDED' },
    { says: 'runs on a node without Java', own: { hasJava: false }, want: 'NEEDED' },
    { says: 'runs on a node that is being deleted', own: { state: 'DELETING' }, want: 'NEEDED' },
  ])('gets the decision $want if the restarting service $says', ({ own, want }) => {
    const nodes = [aNode({ ramMb: 20_000, ...own }), rentedFor('58:00')];
    expect(fate(network(rentedFor('58:00'), [], { services: [again], nodes }))).toBe(want);
  });

  it('is released if the service is paused, because it does not start again', () => {
    const paused = aService('t-9', { held: true, restarting: true, staysStopped: true });
    const nodes = [aNode({ ramMb: 20_000, state: 'CORDONED' }), rentedFor('58:00')];
    expect(fate(network(rentedFor('58:00'), [], { services: [paused], nodes }))).toBe('release');
  });
});

describe('the planner in configure mode', () => {
  const frozen = (node: NodeSnapshot, services: readonly ServiceSnapshot[] = []): Snapshot =>
    network(node, services, { configureMode: true });

  it.each<{ says: string; node: NodeSnapshot; want: string }>([
    {
      says: 'keeps an empty node at the end of its paid hour',
      node: rentedFor('58:00'),
      want: 'CONFIGURE_MODE',
    },
    {
      says: 'does not announce the release of an empty node earlier in its paid hour',
      node: rentedFor('30:00'),
      want: 'CONFIGURE_MODE',
    },
    { says: 'keeps a lost node', node: rentedFor('10:00', { state: 'LOST' }), want: 'CONFIGURE_MODE' },
    {
      says: 'keeps an empty node that a person drained',
      node: rentedFor('58:00', { state: 'DRAINING' }),
      want: 'CONFIGURE_MODE',
    },
    {
      says: 'gives the protection of a node as the reason',
      node: rentedFor('58:00', { locked: true }),
      want: 'LOCKED',
    },
    {
      says: 'resumes a node that the rules were draining',
      node: rentedFor('58:00', { state: 'DRAINING', drainedByRules: true }),
      want: 'resume',
    },
    {
      says: 'releases a node on request of a person',
      node: rentedFor('10:00', { state: 'DRAINING', leaving: true }),
      want: 'release',
    },
    {
      says: 'releases a lost node on request of a person',
      node: rentedFor('10:00', { state: 'LOST', leaving: true }),
      want: 'release',
    },
    {
      says: 'releases a booting node on request of a person',
      node: rentedFor('10:00', { state: 'BOOTING', leaving: true }),
      want: 'release',
    },
  ])('$says', ({ node, want }) => expect(fate(frozen(node))).toBe(want));

  it('drains no superfluous node, and explains how a person can release it', () => {
    const snapshot = frozen(rentedFor('30:00'), [aService('t-1', { node: 'node-1', ramMb: 1_000 })]);
    expect(fate({ ...snapshot, configureMode: false })).toBe('drain');
    expect(plan(snapshot).kept.get('node-1')).toEqual({
      reason: 'CONFIGURE_MODE',
      message:
        'It is not needed, but stays while configure mode is on. Release it, or switch configure_mode off.',
    });
  });

  it('shows no action for a superfluous node in the preview', () => {
    const { actions } = previewPlan(frozen(rentedFor('30:00')));
    expect(actions.filter(({ node }) => node === 'node-1')).toEqual([]);
  });
});

describe('an empty node that no service needs', () => {
  it.each([
    { clock: '0:00', want: 'PAID_FOR' },
    { clock: '30:00', want: 'PAID_FOR' },
    { clock: '56:59', want: 'PAID_FOR' },
    { clock: '57:00', want: 'release' },
    { clock: '59:30', want: 'release' },
    // It is too late: the node might be deleted after the full hour, and a further hour would have to be paid.
    { clock: '59:31', want: 'PAID_FOR' },
    { clock: '59:59', want: 'PAID_FOR' },
    { clock: '60:00', want: 'PAID_FOR' },
    { clock: '60:01', want: 'PAID_FOR' },
    { clock: '117:00', want: 'release' },
    { clock: '119:31', want: 'PAID_FOR' },
  ])('gets the decision $want if it was ordered $clock (min:s) ago', ({ clock, want }) => {
    expect(fate(network(rentedFor(clock)))).toBe(want);
  });

  it.each([
    { says: 'protected', fields: { locked: true }, want: 'LOCKED' },
    { says: 'paused', fields: { held: true }, want: 'HELD' },
    { says: 'cordoned by a person', fields: { state: 'CORDONED' as const }, want: 'CORDONED' },
    { says: 'booting', fields: { state: 'BOOTING' as const }, want: 'NEEDED' },
    {
      says: 'drained by the rules',
      fields: { state: 'DRAINING' as const, drainedByRules: true },
      want: 'release',
    },
    { says: 'drained by a person', fields: { state: 'DRAINING' as const }, want: 'release' },
  ])('gets the decision $want if it was ordered 58 min ago and is $says', ({ fields, want }) => {
    expect(fate(network(rentedFor('58:00', fields)))).toBe(want);
  });

  it('is not released if it is not a cloud node', () => {
    const own = aNode({ id: 'node-1', ramMb: 7_168 });
    expect(fate(network(own))).toBe('nothing');
  });

  it('is kept until its paid time ends, and the reason names the remaining time', () => {
    expect(plan(network(rentedFor('48:30'))).kept.get('node-1')?.message).toContain('12 min');
  });
});

describe('a node with RAM that the network may need', () => {
  /** Returns a network with two nodes of 10,000 MB: node-1, and a node on which `takenMb` MB are allocated. */
  const pair = (takenMb: number): Snapshot =>
    aSnapshot({
      services: [aService('t-9', { state: 'IN_USE', ramMb: takenMb })],
      templates: [aTemplate('t')],
      nodes: [aNode({ ramMb: 10_000 }), rentedFor('58:00', { ramMb: 10_000 })],
    });

  it.each([
    { says: 'at the threshold of 80 %', takenMb: 8_000, want: 'NEEDED' },
    {
      says: 'just below the threshold, where the next player would cause an order',
      takenMb: 7_900,
      want: 'NEEDED',
    },
    { says: 'five percentage points below the threshold', takenMb: 7_500, want: 'NEEDED' },
    { says: 'more than five percentage points below the threshold', takenMb: 7_499, want: 'release' },
  ])('gets the decision $want if the load on all other nodes is $says', ({ takenMb, want }) => {
    expect(fate(pair(takenMb))).toBe(want);
  });

  it('is kept if requested services fit on no other node', () => {
    const snapshot = aSnapshot({
      templates: [aTemplate('t', { minimumRunningServers: 1 })],
      nodes: [rentedFor('58:00')],
    });
    expect(fate(snapshot)).toBe('NEEDED');
  });

  it('is kept if a service needs Java and no other node has Java', () => {
    const services = [aService('t-1', { node: 'node-1' })];
    const snapshot = network(rentedFor('50:00'), services);
    const withoutJava = {
      ...snapshot,
      nodes: [aNode({ ramMb: 20_000, hasJava: false }), rentedFor('50:00')],
    };
    expect(fate(withoutJava)).not.toBe('drain');
    expect(fate(snapshot)).toBe('drain');
  });

  it('is released, but of two equal nodes only one is released if the network needs the other node', () => {
    const two = ['node-1', 'node-2'].map((id) => ({ ...rentedFor('58:00', { ramMb: 10_000 }), id }));
    const services = [aService('t-9', { state: 'IN_USE', ramMb: 14_000 })];
    const snapshot = aSnapshot({
      services,
      nodes: [aNode({ ramMb: 14_000 }), ...two],
      templates: [aTemplate('t')],
    });
    const released = plan(snapshot).actions.filter(({ kind }) => kind === 'release');
    expect(released).toMatchObject([{ node: 'node-1' }]);
  });
});

describe('a node whose services may be moved', () => {
  const empty = aService('t-1', { node: 'node-1' });
  const busy = aService('t-1', { node: 'node-1', state: 'IN_USE' });

  it.each([
    { clock: '0:00', want: 'PAID_FOR' },
    { clock: '4:59', want: 'PAID_FOR' },
    { clock: '5:00', want: 'drain' },
    { clock: '59:30', want: 'drain' },
    { clock: '59:31', want: 'PAID_FOR' },
    { clock: '60:01', want: 'PAID_FOR' },
    { clock: '65:00', want: 'drain' },
  ])('gets the decision $want if it was ordered $clock (min:s) ago', ({ clock, want }) => {
    expect(fate(network(rentedFor(clock), [empty]))).toBe(want);
  });

  it('is drained even if it has players, and is kept until they have left', () => {
    const { actions, kept } = plan(network(rentedFor('45:00'), [busy]));
    expect(actions).toMatchObject([{ kind: 'drain', node: 'node-1' }]);
    expect(kept.get('node-1')).toMatchObject({ reason: 'OCCUPIED' });
  });

  it.each([
    { says: 'one of its services is paused', service: { held: true }, template: {}, config: {} },
    { says: 'the template of its services is paused', service: {}, template: { held: true }, config: {} },
    { says: 'no replacement could start', service: {}, template: { hasJar: false }, config: {} },
    {
      says: 'the maximum allows no replacement before the service stops',
      service: {},
      template: {},
      config: { maximumOnlineServers: 2 },
    },
    {
      says: 'killUnusedTooManyServersAfter is -1',
      service: {},
      template: {},
      config: { killUnusedTooManyServersAfter: -1 },
    },
  ])('is not drained if $says', ({ service, template, config }) => {
    const snapshot = network(rentedFor('45:00'), [{ ...empty, ...service }]);
    const templates = [aTemplate('t', { minimumRunningServers: 1, ...config }, template)];
    expect(fate({ ...snapshot, templates })).toBe('OCCUPIED');
  });

  it.each([
    {
      kind: 'not persistent',
      persistentPaths: [],
      why: 'maximumOnlineServers of template t leaves no room to replace t-1 first.',
    },
    {
      kind: 'persistent',
      persistentPaths: ['world/'],
      why: 't-1 has to stop before it can start on another node, and no rule does this while template t has reached maximumOnlineServers.',
    },
  ])('is kept because the maximum prevents the move of its service ($kind)', ({ persistentPaths, why }) => {
    const config = { minimumRunningServers: 1, maximumOnlineServers: 2, persistentPaths };
    const snapshot = { ...network(rentedFor('45:00'), [empty]), templates: [aTemplate('t', config)] };
    expect(plan(snapshot).kept.get('node-1')?.message).toContain(why);
  });

  it.each([
    { maximumOnlineServers: 2, want: 'OCCUPIED' },
    { maximumOnlineServers: 3, want: 'drain' },
  ])(
    'gets the decision $want if the maximum is $maximumOnlineServers while its service is replaced',
    ({ maximumOnlineServers, want }) => {
      // At the cap, the replacement is requested only after the service has stopped. Then it may fit on no node.
      const services = [{ ...empty, retiring: true }, aService('t-2', { state: 'STARTING' })];
      const templates = [aTemplate('t', { minimumRunningServers: 1, maximumOnlineServers })];
      const snapshot = network(rentedFor('45:00'), services, { services, templates });
      expect(fate(snapshot)).toBe(want);
    },
  );

  it('is not drained if its services do not fit on the other nodes', () => {
    const big = aService('t-1', { node: 'node-1', ramMb: 6_000 });
    const other = aNode({ ramMb: 6_500 });
    const snapshot = { ...network(rentedFor('45:00'), [big]), nodes: [other, rentedFor('45:00')] };
    expect(fate(snapshot)).toBe('NEEDED');
  });

  it('is released after its services have been replaced and stopped', () => {
    const start = network(rentedFor('45:00', { state: 'DRAINING', drainedByRules: true }), [empty]);
    const asked = plan(start);
    expect(asked.actions).toMatchObject([{ kind: 'request', service: 't-100' }]);

    const replacement = aService('t-100', { state: 'STARTING' });
    const waiting = { ...start, services: [...start.services, replacement] };
    expect(plan(waiting).actions).toEqual([]);

    const ready = { ...start, services: [...start.services, aService('t-100')] };
    expect(plan(ready).actions).toMatchObject([{ kind: 'stop', service: 't-1' }]);

    const left = { ...ready, services: ready.services.filter(({ id }) => id !== 't-1') };
    expect(plan(left).actions).toEqual([]);
    expect(fate({ ...left, now: NOW + ms('12:00') })).toBe('release');
  });

  it('is resumed if its RAM is needed again, unless a person has drained it', () => {
    const draining = rentedFor('45:00', { state: 'DRAINING', drainedByRules: true });
    const crowd = aService('t-8', { state: 'IN_USE', ramMb: 16_000 });
    expect(fate(network(draining, [busy, crowd]))).toBe('resume');
    expect(fate(network({ ...draining, drainedByRules: false }, [busy, crowd]))).toBe('OCCUPIED');
  });
});

describe('a lost node', () => {
  const lost = (fields: Partial<NodeSnapshot> = {}) => rentedFor('10:00', { state: 'LOST', ...fields });
  const on = aService('t-1', { node: 'node-1', state: 'IN_USE', players: 5 });

  it('is released at once with its services, so that no service can run twice', () => {
    expect(plan(network(lost(), [on])).actions).toMatchObject([{ kind: 'release', node: 'node-1' }]);
  });

  it('is kept if it is protected, paused, or not a cloud node', () => {
    expect(fate(network(lost({ locked: true }), [on]))).toBe('LOCKED');
    expect(fate(network(lost({ held: true }), [on]))).toBe('HELD');
    expect(fate(network(lost({ rental: null }), [on]))).toBe('nothing');
  });

  it('has services that count towards the maximum, but not towards the minimum', () => {
    const empty = aService('t-1', { node: 'node-1' });
    const config = { minimumRunningServers: 1 };
    const snapshot = aSnapshot({ services: [empty], nodes: [aNode(), lost({ locked: true })] });
    const missing = plan({ ...snapshot, templates: [aTemplate('t', config)] });
    expect(missing.actions).toMatchObject([{ kind: 'request', template: 't' }]);
    const capped = plan({ ...snapshot, templates: [aTemplate('t', { ...config, maximumOnlineServers: 1 })] });
    expect(capped.actions).toEqual([]);
    expect(capped.unmet.get('t')).toMatchObject({ missing: 1, wait: { reason: 'CAP_REACHED' } });
  });

  it('gets no new services, and its RAM is ignored in decisions', () => {
    const services = [aService('t-1', { state: 'REQUESTED', manual: true })];
    const { actions } = plan(
      aSnapshot({
        templates: [aTemplate('t')],
        services,
        nodes: [lost({ locked: true, ramMb: 100_000 })],
        configureMode: false,
        market: aMarket(),
      }),
    );
    expect(actions).toMatchObject([{ kind: 'order' }]);
  });

  it('keeps its services in the plan, because no stop request can reach them', () => {
    const long = aService('t-1', { node: 'node-1', unusedSince: NOW - 1_000_000 });
    expect(
      plan(network(lost({ locked: true }), [long])).actions.filter(({ kind }) => kind === 'stop'),
    ).toEqual([]);
  });
});

describe('the reason why a node is kept', () => {
  it('does not mention other nodes if there are none', () => {
    const only = aSnapshot({
      templates: [aTemplate('t', { minimumRunningServers: 1 })],
      services: [aService('t-1', { node: 'node-1', state: 'RUNNING', ramMb: 1_000 })],
      nodes: [rentedFor('10:00')],
    });
    expect(plan(only).kept.get('node-1')?.message).toBe('It is the only node, and 1000 MB are needed.');
  });
});
