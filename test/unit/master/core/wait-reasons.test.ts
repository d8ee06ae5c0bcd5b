import { describe, expect, it } from 'vitest';
import { plan } from '#master/core/plan.ts';
import type { Snapshot } from '#master/core/snapshot/snapshot.ts';
import { waitReasons, type Wait, type WaitReason } from '#shared/model/wait.ts';
import {
  aMarket,
  aNode,
  anOffer,
  aRentedNode,
  aService,
  aSnapshot,
  aTemplate,
  NO_LIMITS,
  NOW,
} from '#test/support/master/snapshots.ts';

/** Returns a network with one service that a person requested, a usable template and one node with enough room. */
function requested(fields: Partial<Snapshot> = {}): Snapshot {
  return aSnapshot({
    templates: [aTemplate('t')],
    services: [aService('t-1', { state: 'REQUESTED', manual: true })],
    configureMode: false,
    ...fields,
  });
}

const full = [aNode({ ramMb: 1_000 }), aNode({ id: 'other', ramMb: 1_399, state: 'CORDONED' })];

interface Case {
  /** Why `t-1` does not start, in the words of a user. */
  readonly says: string;
  readonly snapshot: Snapshot;
  /** What the message must name: the affected object, or what the user can do. */
  readonly names: RegExp;
  readonly until?: number;
  /** Where the reason is reported, if not at the requested service. */
  readonly at?: 'unmet' | 'noOrder';
}

/** One case for each reason: a new reason does not compile without a case here. */
const cases: Readonly<Record<WaitReason, Case>> = {
  HELD: {
    says: 'a person paused the service',
    snapshot: requested({ services: [aService('t-1', { state: 'REQUESTED', held: true })] }),
    names: /Automation of .* is paused/,
  },
  CAP_REACHED: {
    says: 'an empty service is needed, but full services have already reached maximumOnlineServers',
    snapshot: requested({
      templates: [aTemplate('t', { minimumRunningServers: 1, maximumOnlineServers: 1 })],
      services: [aService('t-1', { state: 'IN_USE', players: 8 })],
    }),
    names: /maximumOnlineServers/,
    at: 'unmet',
  },
  SERVER_JAR_MISSING: {
    says: 'the template has no server.jar',
    snapshot: requested({ templates: [aTemplate('t', {}, { hasJar: false })] }),
    names: /Template t has no server\.jar\. Upload one/,
  },
  TEMPLATE_UNREADABLE: {
    says: 'the template contains a file or link that cannot be used',
    snapshot: requested({ templates: [aTemplate('t', {}, { problem: 'world/region is a link.' })] }),
    names: /world\/region is a link\..*corrected/,
  },
  FILES_CHANGING: {
    says: 'a person uploads into the template',
    snapshot: requested({ templates: [aTemplate('t', {}, { changing: true })] }),
    names: /template t are being written/,
  },
  BACKING_OFF: {
    says: 'the last start failed ten seconds ago',
    snapshot: requested({ templates: [aTemplate('t', {}, { retryAt: NOW + 10_000 })] }),
    names: /template t failed/,
    until: NOW + 10_000,
  },
  NO_NODE: {
    says: 'the only node is cordoned, and no node can be ordered',
    snapshot: requested({ nodes: [aNode({ state: 'CORDONED' })] }),
    names: /No node accepts services now/,
  },
  RAM_FULL: {
    says: 'no node has room, and no node can be ordered',
    snapshot: requested({ nodes: full }),
    names: /needs 1399 MB, but at most 1000 MB are free/,
  },
  NODE_ON_ITS_WAY: {
    says: 'a node with room was ordered a moment ago',
    snapshot: requested({ nodes: [aRentedNode('node-1', { state: 'ORDERED' })], market: aMarket() }),
    names: /node-1.*is starting/,
  },
  CONFIGURE_MODE: {
    says: 'no node has room, and none is ordered in configure mode',
    snapshot: requested({ nodes: full, market: aMarket(), configureMode: true }),
    names: /Switch configure_mode off/,
  },
  NO_OFFER: {
    says: 'the provider has no type that begins with the prefix',
    snapshot: requested({ nodes: full, market: aMarket({ serverType: 'cxp' }) }),
    names: /nbg1 that begins with "cxp".*Change server_type, location or blocked_servers/,
  },
  TOO_BIG: {
    says: 'the service needs more RAM than any existing or orderable node has',
    snapshot: requested({
      templates: [aTemplate('t', { maxJvmMemory: 20_000 })],
      services: [aService('t-1', { state: 'REQUESTED', manual: true, ramMb: 20_375 })],
      nodes: full,
      market: aMarket(),
    }),
    names: /needs 20375 MB, but the largest.* 7168 MB.*Lower maxJvmMemory of template t/,
  },
  ORDERING_PAUSED: {
    says: 'the provider refused the last orders',
    snapshot: requested({
      nodes: full,
      market: aMarket({
        paused: {
          message: 'The project may have 10 servers. Ask the provider for more.',
          until: NOW + 60_000,
        },
      }),
    }),
    names: /Ask the provider for more/,
    until: NOW + 60_000,
  },
  BUDGET_REACHED: {
    says: 'the limits of the budget allow no more cloud nodes',
    snapshot: requested({ nodes: full, market: aMarket(), limits: { ...NO_LIMITS, max_nodes: 0 } }),
    names: /Raise limits\.max_nodes/,
  },
  JAVA_MISSING: {
    says: 'no node has a Java runtime',
    snapshot: requested({ nodes: [aNode({ hasJava: false })] }),
    names: /Java runtime.*apt-get install/,
  },
  VOLUME_ATTACHED: {
    says: 'the newest data of the service is on a lost node',
    snapshot: requested({
      templates: [aTemplate('t', { persistentPaths: ['world'] })],
      volumes: [
        {
          ...{ service: 't-1', attachedTo: 'node-7', mayBeUnsaved: true, cachedOn: 'node-7' },
          ...{ problem: null, unsavable: null },
        },
      ],
    }),
    names: /newest data of t-1 is on node-7.*accept the loss/,
  },
  VOLUME_DAMAGED: {
    says: "a file of the service's volume cannot be read",
    snapshot: requested({
      templates: [aTemplate('t', { persistentPaths: ['world'] })],
      volumes: [
        {
          ...{ service: 't-1', attachedTo: null, mayBeUnsaved: false, cachedOn: null },
          ...{ problem: 'volume.json cannot be read.', unsavable: 'volume.json cannot be read.' },
        },
      ],
    }),
    names: /volume\.json cannot be read/,
  },
  VOLUME_UNSAVABLE: {
    says: 'a rolling restart waits, because the last save of a service failed',
    snapshot: requested({
      templates: [aTemplate('t', { persistentPaths: ['world'] })],
      services: [aService('t-1', { retiring: true })],
      volumes: [
        {
          ...{ service: 't-1', attachedTo: 'local', mayBeUnsaved: true, cachedOn: 'local' },
          ...{ problem: null, unsavable: 'Raise the quota.' },
        },
      ],
    }),
    names: /rolling restart of template t waits, because t-1 cannot be saved now\. Raise the quota\./,
    at: 'unmet',
  },
  START_BUDGET: {
    says: 'the node already starts other services',
    snapshot: requested({
      nodes: [aNode({ startBudget: 1 })],
      services: [
        aService('t-1', { state: 'REQUESTED', manual: true }),
        aService('t-2', { state: 'STARTING', manual: true }),
      ],
    }),
    names: /next/,
  },
};

describe('the reason why a service has to wait', () => {
  it.each(waitReasons.map((reason) => ({ reason, ...cases[reason] })))(
    'is $reason if $says',
    ({ reason, snapshot, names, until = null, at = 'waiting' }) => {
      const { waiting, unmet, noOrder, actions } = plan(snapshot);
      const waits: Record<typeof at, Wait | null | undefined> = {
        waiting: waiting.get('t-1'),
        unmet: unmet.get('t')?.wait,
        noOrder,
      };
      const wait = waits[at];
      expect(wait).toMatchObject({ reason, until });
      expect(wait?.message).toMatch(names);
      expect(wait?.message).toMatch(/[.!]$/);
      expect(actions.filter(({ kind }) => kind === 'start' || kind === 'order')).toEqual([]);
    },
  );

  it('equals the reason why no node is ordered if the service needs a new node', () => {
    for (const reason of ['CONFIGURE_MODE', 'NO_OFFER', 'ORDERING_PAUSED', 'BUDGET_REACHED'] as const) {
      const { waiting, noOrder } = plan(cases[reason].snapshot);
      expect(noOrder).toEqual(waiting.get('t-1'));
    }
  });

  it('contains the time when a sold-out server type is tried again', () => {
    const offers = [
      anOffer('cpx32', { soldOutUntil: NOW + 30_000 }),
      anOffer('cpx42', { soldOutUntil: NOW + 9_000 }),
    ];
    const { noOrder } = plan(requested({ nodes: full, market: aMarket({ offers }) }));
    expect(noOrder).toMatchObject({ reason: 'NO_OFFER', until: NOW + 9_000 });
    expect(noOrder?.message).toContain('cpx32, cpx42');
  });

  it('tells that the template is paused if it has fewer services than its minimum', () => {
    const held = aTemplate('t', { minimumRunningServers: 2 }, { held: true });
    const { unmet, actions } = plan(aSnapshot({ templates: [held], services: [aService('t-1')] }));
    expect(actions).toEqual([]);
    expect(unmet.get('t')).toMatchObject({ missing: 1, wait: { reason: 'HELD' } });
  });

  it('contains the number of services that the maximum prevents', () => {
    const template = aTemplate('t', { minimumRunningServers: 5, maximumOnlineServers: 3 });
    const { unmet, actions } = plan(aSnapshot({ templates: [template] }));
    expect(actions.map(({ kind }) => kind)).toEqual(['request', 'request', 'request']);
    expect(unmet.get('t')).toMatchObject({ missing: 2, wait: { reason: 'CAP_REACHED' } });
  });

  it('is HELD for a paused service even if its template was removed', () => {
    const { waiting } = plan(
      aSnapshot({ services: [aService('gone-1', { state: 'REQUESTED', held: true })] }),
    );
    expect(waiting.get('gone-1')?.reason).toBe('HELD');
  });
});
