import { describe, expect, it } from 'vitest';
import { plan } from '#master/core/plan.ts';
import { apply } from '#master/core/snapshot/apply.ts';
import type { NodeSnapshot, ServiceSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import {
  aMarket,
  anOffer,
  aNode,
  aRentedNode,
  aService,
  aSnapshot,
  aTemplate,
  ms,
  NO_LIMITS,
  NOW,
} from '#test/support/master/snapshots.ts';

const offers = [
  anOffer('cpx22', { ramMb: 3_676, hourlyPrice: 0.012 }),
  anOffer('cpx32', { ramMb: 7_168, hourlyPrice: 0.02 }),
];
const small = aRentedNode('node-1', { ramMb: 3_676 });
const templates = [aTemplate('large', { minimumRunningServers: 1, maxJvmMemory: 4_096 }), aTemplate('small')];
const large = aService('large-1', { state: 'REQUESTED', ramMb: 4_471 });
const known = {
  ...{ templates, services: [large], nodes: [small] },
  market: aMarket({ offers }),
  limits: { ...NO_LIMITS, max_nodes: 1 },
};

describe('an empty cloud node without enough RAM for the waiting service', () => {
  it('is kept only until its paid hour ends, and until then max_nodes prevents the order of a larger node', () => {
    const { kept, waiting } = plan(aSnapshot(known));
    expect(waiting.get('large-1')?.reason).toBe('BUDGET_REACHED');
    expect(kept.get('node-1')?.reason).toBe('PAID_FOR');
  });

  it('is not resumed if the rules drained it while it still had a service', () => {
    const nodes = [aRentedNode('node-1', { ramMb: 4_000 }), aRentedNode('node-2', { ramMb: 4_000 })];
    const services = [
      large,
      aService('small-1', { state: 'IN_USE', ramMb: 1_500, node: 'node-1' }),
      aService('small-2', { ramMb: 1_000, node: 'node-2' }),
    ];
    const limits = { ...NO_LIMITS, max_nodes: 2 };
    const before = aSnapshot({ ...known, services, nodes, limits });
    const first = plan(before);
    expect(first.actions).toMatchObject([{ kind: 'drain', node: 'node-2' }]);
    expect(plan(apply(before, first)).actions.filter(({ kind }) => kind === 'resume')).toEqual([]);
  });

  it('is needed if another waiting service fits on it', () => {
    const closed = [
      { template: 'small', since: 0, retryAt: Number.MAX_SAFE_INTEGER, reason: 'Its disk is full.' },
    ];
    const services = [large, aService('small-1', { state: 'REQUESTED', manual: true, ramMb: 1_399 })];
    const { kept } = plan(aSnapshot({ ...known, services, nodes: [{ ...small, startBackoffs: closed }] }));
    expect(kept.get('node-1')?.reason).toBe('NEEDED');
  });

  it('is needed if the services on the other nodes need it', () => {
    const full = [aService('small-1', { state: 'IN_USE', ramMb: 6_800, node: 'local' })];
    const { kept } = plan(
      aSnapshot({ ...known, services: [large, ...full], nodes: [aNode({ ramMb: 7_000 }), small] }),
    );
    expect(kept.get('node-1')?.reason).toBe('NEEDED');
  });
});

describe('a cloud node that is too small for a waiting service, while the only large enough node is full', () => {
  const end = { type: 'cpx22', since: NOW - ms('58:00'), hourlyPrice: 0.012 };
  /** A network in which `large-1` waits for RAM on a node of 8,000 MB, of which 5,000 MB are taken. */
  function world(cloud: Partial<NodeSnapshot>, services: readonly ServiceSnapshot[] = []): Snapshot {
    const own = aService('small-9', { state: 'IN_USE', ramMb: 5_000 });
    const nodes = [aNode({ ramMb: 8_000 }), { ...small, rental: end, ...cloud }];
    return aSnapshot({ ...known, services: [large, own, ...services], nodes });
  }

  it('is released at the end of its paid hour', () => {
    const { actions, waiting } = plan(world({}));
    expect(actions).toMatchObject([{ kind: 'release', node: 'node-1' }]);
    expect(waiting.get('large-1')?.reason).toBe('BUDGET_REACHED');
  });

  it('is released after the rules have drained and resumed it', () => {
    const before = world({ state: 'DRAINING', drainedByRules: true });
    const first = plan(before);
    expect(first.actions).toMatchObject([{ kind: 'resume', node: 'node-1' }]);
    expect(plan(apply(before, first)).actions).toMatchObject([{ kind: 'release', node: 'node-1' }]);
  });

  it('is kept while a node is ordered for the service, because the RAM of the service then counts', () => {
    const { actions, kept } = plan({ ...world({}), limits: NO_LIMITS });
    expect(actions).toMatchObject([{ kind: 'order', type: 'cpx32' }]);
    expect(kept.get('node-1')?.reason).toBe('NEEDED');
  });

  it('is kept if the service would fit on it', () => {
    const closed = [
      { template: 'large', since: 0, retryAt: Number.MAX_SAFE_INTEGER, reason: 'Its disk is full.' },
    ];
    const { actions, kept } = plan(world({ ramMb: 4_471, startBackoffs: closed }));
    expect(actions).toEqual([]);
    expect(kept.get('node-1')).toEqual({ reason: 'NEEDED', message: 'More RAM is needed than available.' });
  });

  it('is kept while it has services, because they would move to the large node and take the room there', () => {
    const { actions, kept } = plan(world({}, [aService('small-1', { ramMb: 1_000, node: 'node-1' })]));
    expect(actions).toEqual([]);
    expect(kept.get('node-1')?.reason).toBe('NEEDED');
  });

  it('is kept if the other services need its RAM', () => {
    const full = aService('small-8', { state: 'IN_USE', ramMb: 1_500 });
    expect(plan(world({}, [full])).kept.get('node-1')?.reason).toBe('NEEDED');
  });
});
