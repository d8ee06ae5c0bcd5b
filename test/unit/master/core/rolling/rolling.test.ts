import { describe, expect, it } from 'vitest';
import { previewPlan } from '#master/core/preview-plan.ts';
import { plan } from '#master/core/plan.ts';
import {
  aMarket,
  aNode,
  aRentedNode,
  aService,
  aSnapshot,
  aTemplate,
  NOW,
} from '#test/support/master/snapshots.ts';
import { actionsOf, planned, type Case } from './planned-case.ts';

const old = { retiring: true };

/** A service that has just come up, so that it does not count as a replacement yet. */
const JUST_UP = { availableAt: NOW + 1 };

/** A proxy that is up, but whose plugin was never linked. */
const UNLINKED = { availableAt: null };

describe('a service that a rolling restart or a drain replaces', () => {
  it.each<Case>([
    {
      says: 'runs until its replacement is ready',
      services: [aService('t-1', old)],
      want: ['request t-100'],
    },
    {
      says: 'runs while its replacement starts',
      services: [aService('t-1', old), aService('t-2', { state: 'STARTING' })],
      want: [],
    },
    {
      says: 'stops once its replacement is ready, even if it was in use a moment ago',
      services: [aService('t-1', { ...old, unusedSince: NOW }), aService('t-2')],
      want: ['stop t-1'],
    },
    {
      says: 'runs while its replacement has been up for less than the minimum time',
      services: [aService('t-1', old), aService('t-2', JUST_UP)],
      want: [],
    },
    {
      says: 'runs while only a service that has just come up provides the needed slots',
      config: { minimumRunningServers: 0, startNewServiceAtTemplateCapacity: 50 },
      services: [
        aService('t-1', { state: 'IN_USE', players: 6 }),
        aService('t-2', old),
        aService('t-3', JUST_UP),
      ],
      want: [],
    },
    {
      says: 'with the maximum reached, is not replaced while another service has just come up',
      config: { minimumRunningServers: 2, maximumOnlineServers: 2 },
      services: [aService('t-1', old), aService('t-2', JUST_UP)],
      want: [],
    },
    {
      says: 'with persistent paths, runs while the previously replaced service has only just come up',
      config: { persistentPaths: ['world*/'], minimumRunningServers: 2 },
      services: [aService('t-1', old), aService('t-2', JUST_UP)],
      want: [],
    },
    {
      says: 'with persistent paths, does not wait for a service that came up on an unreachable node',
      config: { persistentPaths: ['world*/'], minimumRunningServers: 2 },
      services: [aService('t-1', old), aService('t-2', { ...JUST_UP, node: 'n' })],
      nodes: [aNode(), aRentedNode('n', { silent: 'overdue' })],
      want: ['stop t-1'],
    },
    {
      says: 'with the maximum reached, is replaced although its own plugin was never linked',
      config: { minimumRunningServers: 2, maximumOnlineServers: 2 },
      services: [aService('t-1'), aService('t-2', { ...old, ...UNLINKED })],
      want: ['stop t-2'],
    },
    {
      says: 'with the maximum reached, is not replaced while the plugin of another proxy was never linked',
      config: { minimumRunningServers: 2, maximumOnlineServers: 2 },
      services: [aService('t-1', old), aService('t-2', UNLINKED)],
      want: [],
    },
    {
      says: 'with persistent paths, is replaced although its own plugin was never linked',
      config: { persistentPaths: ['data/'], minimumRunningServers: 2 },
      services: [aService('t-1'), aService('t-2', { ...old, ...UNLINKED })],
      want: ['stop t-2'],
    },
    {
      says: 'keeps running while players are on it',
      services: [aService('t-1', { ...old, state: 'IN_USE' }), aService('t-2')],
      want: [],
    },
    {
      says: 'stops at once if no replacement is needed',
      config: { minimumRunningServers: 0 },
      services: [aService('t-1', old)],
      want: ['stop t-1'],
    },
    {
      says: 'stops at once if it is not up yet or does not answer, because it serves no players',
      services: [
        aService('t-1', { ...old, state: 'STARTING' }),
        aService('t-2', { ...old, unresponsive: true }),
        aService('t-3'),
      ],
      want: ['stop t-1', 'stop t-2'],
    },
    {
      says: 'keeps running until other services provide the slots that are needed',
      config: { minimumRunningServers: 0, startNewServiceAtTemplateCapacity: 50 },
      services: [aService('t-1', { state: 'IN_USE', players: 6 }), aService('t-2', old)],
      want: ['request t-100'],
    },
    {
      says: 'is not replaced while it is paused, and counts towards the minimum',
      services: [aService('t-1', { ...old, held: true })],
      want: [],
    },
    {
      says: 'is not replaced while its template is paused',
      template: { held: true },
      services: [aService('t-1', old), aService('t-2')],
      want: [],
    },
    {
      says: 'stops before newer services if there are more services than the maximum allows',
      config: { maximumOnlineServers: 1 },
      services: [aService('t-1', old), aService('t-2')],
      want: ['stop t-1'],
    },
    {
      says: 'if the maximum leaves no room, stops before its replacement starts, one service at a time',
      config: { minimumRunningServers: 2, maximumOnlineServers: 2 },
      services: [aService('t-1', old), aService('t-2', old)],
      want: ['stop t-2'],
    },
    {
      says: 'with the maximum reached, is not replaced while another service stops or starts',
      config: { minimumRunningServers: 3, maximumOnlineServers: 3 },
      services: [
        aService('t-1', old),
        aService('t-2', { ...old, stopping: true }),
        aService('t-3', { state: 'STARTING' }),
      ],
      want: [],
    },
    {
      says: 'with the maximum reached, is not replaced while another service is on a lost node',
      config: { maximumOnlineServers: 2 },
      services: [aService('t-1', old), aService('t-2', { node: 'n' })],
      nodes: [aNode(), aNode({ id: 'n', state: 'LOST' })],
      want: [],
    },
    {
      says: 'with the maximum reached, is not replaced while a paused service starts on a draining node',
      config: { maximumOnlineServers: 2 },
      services: [aService('t-1', old), aService('t-2', { state: 'STARTING', node: 'n', held: true })],
      nodes: [aNode(), aRentedNode('n', { state: 'DRAINING' })],
      want: [],
    },
    {
      says: 'with the maximum reached, is not replaced while its template cannot start another service',
      config: { maximumOnlineServers: 1 },
      template: { hasJar: false },
      services: [aService('t-1', old)],
      want: [],
    },
    {
      says: 'with the maximum reached, is not replaced if the rules drain its node',
      config: { maximumOnlineServers: 1 },
      services: [aService('t-1', { node: 'n' })],
      nodes: [aNode(), aRentedNode('n', { state: 'DRAINING', drainedByRules: true })],
      want: [],
    },
    {
      says: 'with the maximum reached, stops if a person drains its node',
      config: { maximumOnlineServers: 1 },
      services: [aService('t-1', { node: 'n' })],
      nodes: [aNode(), aRentedNode('n', { state: 'DRAINING' })],
      want: ['stop t-1'],
    },
    {
      says: 'with the maximum reached, stops if its RAM is enough for the replacement',
      config: { maximumOnlineServers: 1, maxJvmMemory: 4096 },
      services: [aService('t-1', { ...old, ramMb: 1500 })],
      nodes: [aNode({ ramMb: 4500 })],
      want: ['stop t-1'],
    },
    {
      says: 'with the maximum reached, is not replaced if no node has the RAM for its replacement',
      config: { maximumOnlineServers: 1, maxJvmMemory: 4096 },
      services: [aService('t-1', { ...old, ramMb: 1500 })],
      nodes: [aNode({ ramMb: 4400 })],
      want: [],
    },
    {
      says: 'with the maximum reached, is not replaced while a person drains the only node',
      config: { maximumOnlineServers: 1 },
      services: [aService('t-1')],
      nodes: [aNode({ state: 'DRAINING' })],
      want: [],
    },
    {
      says: 'with persistent paths, is not replaced while a person drains the only node',
      config: { persistentPaths: ['world*/'] },
      services: [aService('t-1')],
      nodes: [aNode({ state: 'DRAINING' })],
      want: [],
    },
    {
      says: 'with persistent paths, stops while a person drains the only node if no rule needs the service',
      config: { persistentPaths: ['world*/'], minimumRunningServers: 0 },
      services: [aService('t-1')],
      nodes: [aNode({ state: 'DRAINING' })],
      want: ['stop t-1'],
    },
    {
      says: 'with persistent paths, stops before its replacement starts, one service at a time',
      config: { persistentPaths: ['world*/'], minimumRunningServers: 2 },
      services: [aService('t-1', old), aService('t-2', old)],
      want: ['stop t-2'],
    },
    {
      says: 'with persistent paths, runs until the previously replaced service is requested again',
      config: { persistentPaths: ['world*/'], minimumRunningServers: 2 },
      services: [aService('t-1', old)],
      want: ['request t-2'],
    },
    {
      says: 'with persistent paths, runs until the previously replaced service is up',
      config: { persistentPaths: ['world*/'], minimumRunningServers: 2 },
      services: [aService('t-1', old), aService('t-2', { state: 'STARTING' })],
      want: [],
    },
    {
      says: 'with persistent paths, runs while a service of its template starts again after a failed start',
      config: { persistentPaths: ['world*/'], minimumRunningServers: 2 },
      template: { retryAt: NOW },
      services: [aService('t-1', old), aService('t-2', { state: 'REQUESTED' })],
      want: ['start t-2'],
    },
    {
      says: 'with persistent paths, does not wait for a service that starts on an unreachable node',
      config: { persistentPaths: ['world*/'], minimumRunningServers: 2 },
      services: [aService('t-1', old), aService('t-2', { state: 'STARTING', node: 'n' })],
      nodes: [aNode(), aRentedNode('n', { silent: 'overdue' })],
      want: ['stop t-1'],
    },
    {
      says: 'with the maximum reached, is not replaced if the only other node is in back-off for its template',
      config: { maximumOnlineServers: 1 },
      services: [aService('t-1', { node: 'n' })],
      nodes: [
        aNode({
          startBackoffs: [{ template: 't', since: NOW - 1, retryAt: NOW + 1, reason: 'Its disk is full.' }],
        }),
        aRentedNode('n', { state: 'DRAINING' }),
      ],
      want: [],
    },
  ])('$says', (one) => {
    expect(actionsOf(one)).toEqual(one.want);
  });

  it('with the maximum reached and no room on its node, stops only if the budget allows a larger node', () => {
    const templates = [
      aTemplate('t', { minimumRunningServers: 1, maximumOnlineServers: 1, maxJvmMemory: 4096 }),
    ];
    const services = [aService('t-1', { ...old, ramMb: 1500 })];
    const known = {
      templates,
      services,
      nodes: [aNode({ ramMb: 4400 })],
      market: aMarket(),
    };
    expect(plan(aSnapshot(known)).actions).toMatchObject([{ kind: 'stop', service: 't-1' }]);
    const limits = { max_nodes: 0, max_cost_per_hour: -1, max_cost_per_month: -1 };
    const { actions, unmet } = plan(aSnapshot({ ...known, limits }));
    expect(actions).toEqual([]);
    expect(unmet.get('t')).toMatchObject({ wait: { reason: 'RAM_FULL' } });
  });

  it('waits with persistent paths if no node has room for its replacement, and the reason is reported', () => {
    const { unmet } = planned({
      says: '',
      config: { persistentPaths: ['world*/'] },
      services: [aService('t-1')],
      nodes: [aNode({ state: 'DRAINING' })],
      want: [],
    });
    expect(unmet.get('t')).toMatchObject({ missing: 0, wait: { reason: 'RAM_FULL' } });
  });

  it('waits if the maximum is reached and no replacement can start, and the reason is reported', () => {
    const { unmet } = planned({
      says: '',
      config: { maximumOnlineServers: 1 },
      template: { hasJar: false },
      services: [aService('t-1', old)],
      want: [],
    });
    expect(unmet.get('t')).toMatchObject({ missing: 1, wait: { reason: 'SERVER_JAR_MISSING' } });
  });

  it('waits if the maximum is reached with a service on a lost node, and the reason is reported', () => {
    const { unmet } = planned({
      says: '',
      config: { maximumOnlineServers: 2 },
      services: [aService('t-1', old), aService('t-2', { node: 'n' })],
      nodes: [aNode(), aNode({ id: 'n', state: 'LOST' })],
      want: [],
    });
    expect(unmet.get('t')).toEqual({
      missing: 1,
      wait: {
        reason: 'CAP_REACHED',
        message:
          'Template t has 2 of at most 2 (maximumOnlineServers), 1 of them on a lost node, so there is no room for replacements. Raise the maximum, or wait until that node is reachable or released.',
        until: null,
      },
    });
  });

  it('is not reported as missing while it serves players and the maximum is reached', () => {
    const busy = aService('t-2', { state: 'STARTING' });
    const config = { minimumRunningServers: 2, maximumOnlineServers: 2 };
    const { unmet } = planned({ says: '', config, services: [aService('t-1', old), busy], want: [] });
    expect(unmet.size).toBe(0);
  });
});

it('previewPlan returns all actions of a rolling restart, a deletion and a release', () => {
  const previewed = previewPlan(
    aSnapshot({
      templates: [
        aTemplate('t', { minimumRunningServers: 2, maximumOnlineServers: 2 }),
        aTemplate('gone', {}, { leaving: true }),
      ],
      services: [aService('t-1', old), aService('t-2', old), aService('gone-1', { node: 'n' })],
      nodes: [aNode(), aRentedNode('n', { state: 'DRAINING', leaving: true })],
    }),
  );
  const words = previewed.actions.map(({ kind, service, node }) => `${kind} ${service ?? node ?? ''}`);
  expect(words.filter((word) => word.startsWith('stop'))).toEqual(['stop gone-1', 'stop t-2', 'stop t-1']);
  expect(words.filter((word) => word.startsWith('start'))).toEqual(['start t-100', 'start t-101']);
  expect(words).toContain('release n');
  expect(previewed).toMatchObject({ complete: true, waiting: [], unmet: [] });
});
