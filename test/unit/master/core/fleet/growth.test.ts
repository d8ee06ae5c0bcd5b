import { describe, expect, it } from 'vitest';
import { plan } from '#master/core/plan.ts';
import type { ActionOf } from '#master/core/action.ts';
import type { NodeSnapshot, Offer, Snapshot } from '#master/core/snapshot/snapshot.ts';
import {
  aMarket,
  aNode,
  anOffer,
  aRentedNode,
  aService,
  aSnapshot,
  aTemplate,
  NOW,
} from '#test/support/master/snapshots.ts';

/** Returns a network with one node of 10,000 MB, a service in use that takes the given RAM, and a provider. */
function loaded(takenMb: number, fields: Partial<Snapshot> = {}): Snapshot {
  return aSnapshot({
    templates: [aTemplate('t')],
    services: [aService('t-1', { state: 'IN_USE', ramMb: takenMb })],
    nodes: [aNode({ ramMb: 10_000 })],
    configureMode: false,
    market: aMarket(),
    ...fields,
  });
}

/** Returns a network without nodes and with requested services of the given RAM (MB). */
function unschedulable(ramMb: readonly number[], fields: Partial<Snapshot> = {}): Snapshot {
  const services = ramMb.map((mb, i) =>
    aService(`t-${i + 1}`, { state: 'REQUESTED', manual: true, ramMb: mb }),
  );
  return loaded(0, { services, nodes: [], ...fields });
}

function orders(snapshot: Snapshot): ActionOf<'order'>[] {
  return plan(snapshot).actions.flatMap((action) => (action.kind === 'order' ? [action] : []));
}

function types(snapshot: Snapshot): string[] {
  return orders(snapshot).map(({ type }) => type);
}

describe('an order for a new node', () => {
  it.each([
    { says: 'is not made while 79.99 % of the RAM is allocated (threshold 80 %)', takenMb: 7_999, want: [] },
    {
      says: 'is made when exactly 80 % of the RAM is allocated (threshold 80 %)',
      takenMb: 8_000,
      want: ['cpx32'],
    },
    {
      says: 'is made when more than 80 % of the RAM is allocated (threshold 80 %)',
      takenMb: 8_001,
      want: ['cpx32'],
    },
  ])('$says', ({ takenMb, want }) => {
    expect(types(loaded(takenMb))).toEqual(want);
  });

  it('contains the id, type, location and RAM of the node, and the rule that caused the order', () => {
    expect(orders(loaded(8_000))).toEqual([
      {
        kind: 'order',
        node: 'node-100',
        type: 'cpx32',
        location: 'nbg1',
        ramMb: 7_168,
        cause: expect.stringMatching(/8000 of 10000 MB allocated, 80 % ≥ 80 %/) as string,
      },
    ]);
  });

  it('is not made while a node that was ordered earlier is booting', () => {
    const onItsWay = aRentedNode('node-1', { state: 'BOOTING' });
    expect(types(loaded(8_000, { nodes: [aNode({ ramMb: 10_000 }), onItsWay] }))).toEqual([]);
  });

  it('is made if a node that was ordered earlier did not become ready in time, but is kept', () => {
    const overdue = aRentedNode('node-1', { state: 'BOOTING', isOverdue: true });
    expect(types(loaded(8_000, { nodes: [aNode({ ramMb: 10_000 }), overdue] }))).toEqual(['cpx32']);
  });

  it('depends also on the RAM of services that start in the same round', () => {
    const services = [
      aService('t-1', { state: 'IN_USE', ramMb: 7_000 }),
      aService('t-2', { state: 'REQUESTED', manual: true, ramMb: 1_399 }),
    ];
    expect(types(loaded(0, { services }))).toEqual(['cpx32']);
  });

  it('is made for as many nodes as necessary to bring the load below the threshold', () => {
    // 30,000 / 0.8 = 37,500 MB are needed, and 30,000 MB exist. The missing 7,500 MB need two nodes of 7,168 MB.
    expect(types(loaded(30_000, { nodes: [aNode({ ramMb: 30_000 })] }))).toEqual(['cpx32', 'cpx32']);
  });

  it('treats a node as exactly full if its services allocate more RAM than the node has', () => {
    // A full node counts as 10,000 MB. So 10,000 / 0.8 = 12,500 MB are needed, and one more node is enough.
    expect(types(loaded(10_000_000))).toEqual(['cpx32']);
  });

  it('is made if a service fits on no node, even if all nodes are empty', () => {
    const snapshot = loaded(0, {
      services: [aService('t-1', { state: 'REQUESTED', manual: true, ramMb: 3_000 })],
      nodes: [aNode({ ramMb: 2_000 }), aNode({ id: 'b', ramMb: 2_000 })],
      upscalingAtPercent: 100,
    });
    expect(orders(snapshot)[0]?.cause).toMatch(/t-1 fits on no node \(3000 MB\)/);
  });

  it('is not made for services without server.jar, paused services or services in back-off', () => {
    for (const rest of [{ hasJar: false }, { retryAt: NOW + 1_000 }]) {
      expect(types(unschedulable([1_399], { templates: [aTemplate('t', {}, rest)] }))).toEqual([]);
    }
    const held = [aService('t-1', { state: 'REQUESTED', held: true })];
    expect(types(unschedulable([], { services: held }))).toEqual([]);
  });

  describe('while a node with room for the service is unreachable', () => {
    const asked = [aService('t-1', { state: 'REQUESTED', manual: true, ramMb: 3_000 })];
    const silentNode = (silent: NodeSnapshot['silent'], fields: Partial<NodeSnapshot> = {}): Snapshot =>
      loaded(0, { services: asked, nodes: [aRentedNode('node-1', { silent, ...fields })] });

    it('is not made at first, because the unreachable node may return earlier', () => {
      expect(types(silentNode('awaited'))).toEqual([]);
      expect(plan(silentNode('awaited')).waiting.get('t-1')).toEqual({
        reason: 'NODE_ON_ITS_WAY',
        message:
          't-1 needs 3000 MB; node-1, which has room for it, cannot be reached at the moment. The service starts there once the node is reachable, or on another node if it stays unreachable.',
        until: null,
      });
    });

    it('is made once the node has been unreachable for a long time', () => {
      expect(types(silentNode('overdue'))).toEqual(['cpx32']);
      expect(types(silentNode('overdue', { state: 'LOST' }))).toEqual(['cpx32']);
    });

    it.each([
      { says: 'if the unreachable node has no room for the service', fields: { ramMb: 2_999 } },
      { says: 'if the unreachable node is paused', fields: { held: true } },
      { says: 'if the unreachable node is cordoned', fields: { state: 'CORDONED' } },
      { says: 'if the unreachable node has no Java for the service', fields: { hasJava: false } },
    ] as const)('is made at once $says', ({ fields }) => {
      expect(types(silentNode('awaited', fields))).toEqual(['cpx32']);
    });

    it('is made if the node has room for only some of the waiting services', () => {
      const services = [1, 2, 3].map((n) =>
        aService(`t-${n}`, { state: 'REQUESTED', manual: true, ramMb: 3_000 }),
      );
      const { actions, waiting } = plan({ ...silentNode('awaited'), services, upscalingAtPercent: 100 });
      expect(actions.filter(({ kind }) => kind === 'order')).toHaveLength(1);
      expect(waiting.get('t-2')?.message).toMatch(/node-1, which has room for it/);
      expect(waiting.get('t-3')?.message).toMatch(/node-100, which will have room for it, is starting/);
    });

    it('is made if the waiting services would bring the load to the threshold', () => {
      const services = [aService('t-1', { state: 'REQUESTED', manual: true, ramMb: 6_000 })];
      // 6,000 of 7,168 MB are 84 %.
      expect(types({ ...silentNode('awaited'), services })).toEqual(['cpx32']);
    });

    it('is not made if the rules are draining another node, because that node is resumed instead', () => {
      const emptied = aRentedNode('node-2', { state: 'DRAINING', drainedByRules: true });
      const snapshot = silentNode('awaited');
      const { actions } = plan({ ...snapshot, nodes: [...snapshot.nodes, emptied] });
      expect(actions).toMatchObject([{ kind: 'resume', node: 'node-2' }]);
    });
  });

  it('is not made if the network has neither nodes nor services', () => {
    expect(types(unschedulable([]))).toEqual([]);
  });

  it.each([
    { says: 'configure mode', fields: { configureMode: true } },
    { says: 'a missing provider', fields: { market: null } },
    {
      says: 'a pause of orders that has not ended',
      fields: { market: aMarket({ paused: { message: 'No.', until: NOW + 1 } }) },
    },
    {
      says: 'a pause of orders without an end',
      fields: { market: aMarket({ paused: { message: 'No.', until: null } }) },
    },
  ])('is prevented by $says', ({ fields }) => {
    expect(types(loaded(9_999, fields))).toEqual([]);
  });

  it('is made once a pause of orders has ended', () => {
    expect(
      types(loaded(8_000, { market: aMarket({ paused: { message: 'No.', until: NOW } }) })),
    ).toHaveLength(1);
  });
});

describe('the server type of a new node', () => {
  const small = anOffer('cpx22', { ramMb: 3_584, hourlyPrice: 0.012 });
  const middle = anOffer('cpx32', { ramMb: 7_168, hourlyPrice: 0.022 });
  const large = anOffer('cpx42', { ramMb: 15_360, hourlyPrice: 0.04 });
  const market = (...offers: Parameters<typeof anOffer>[1][]) =>
    aMarket({ offers: offers.map((offer, i) => ({ ...anOffer(`cpx${i}`), ...offer })) });

  it.each([
    { says: 'is the smallest type for one small service', ramMb: [1_399], want: ['cpx22'] },
    { says: 'is a type with enough RAM for a large service', ramMb: [5_000], want: ['cpx32'] },
    // Six services of 1,399 MB take 8,394 MB, and need 10,493 MB to stay below 80 %. Three small nodes cost 3 ×
    // 0.012, a large node 0.04, and two medium nodes 2 × 0.022 EUR per hour.
    {
      says: 'is the small type if three small nodes are cheaper than two medium nodes or a large node',
      ramMb: Array<number>(6).fill(1_399),
      want: ['cpx22', 'cpx22', 'cpx22'],
    },
    // Three services of 4,000 MB need three medium nodes (3 × 0.022 EUR per hour) or one large node (0.04 EUR per
    // hour). On the large node, the load stays below 80 %.
    {
      says: 'is the large type if one large node is cheaper than several smaller nodes',
      ramMb: [4_000, 4_000, 4_000],
      want: ['cpx42'],
    },
  ])('$says', ({ ramMb, want }) => {
    expect(types(unschedulable(ramMb, { market: market(small, middle, large) }))).toEqual(want);
  });

  it('is the second cheapest type while the cheapest type is sold out', () => {
    const soldOut = { ...small, soldOutUntil: NOW + 60_000 };
    expect(types(unschedulable([1_399], { market: market(soldOut, middle) }))).toEqual(['cpx32']);
    const again = { ...small, soldOutUntil: NOW };
    expect(types(unschedulable([1_399], { market: market(again, middle) }))).toEqual(['cpx22']);
  });

  describe('with several allowed locations', () => {
    const locations = ['nbg1', 'fsn1', 'hel1'];
    const [inNbg, inFsn] = [{ ...middle }, { ...middle, location: 'fsn1', hourlyPrice: 0.001 }];
    const orders = (...offers: readonly Offer[]): unknown =>
      plan(unschedulable([1_399], { market: { ...market(...offers), locations } })).actions;

    it('is ordered in the first location, even if another location is cheaper', () => {
      expect(orders(inFsn, inNbg)).toMatchObject([{ kind: 'order', location: 'nbg1' }]);
    });

    it('is ordered in the next location if the first is sold out, and the cause names both locations', () => {
      const hel = { ...inFsn, location: 'hel1' };
      const soldOut = { ...inNbg, soldOutUntil: NOW + 60_000 };
      expect(orders(hel, inFsn, soldOut)).toMatchObject([
        {
          location: 'fsn1',
          cause: expect.stringContaining(
            'in fsn1, because nbg1 has none left that is large enough',
          ) as string,
        },
      ]);
    });

    it('is ordered in the next location if the first offers only types that are too small', () => {
      expect(orders({ ...inNbg, ramMb: 1_398 }, inFsn)).toMatchObject([{ location: 'fsn1' }]);
    });

    it('is not ordered if all locations are sold out, and the reason names all of them', () => {
      const soldOut = [inNbg, inFsn].map((offer) => ({ ...offer, soldOutUntil: NOW + 60_000 }));
      const { actions, noOrder } = plan(
        unschedulable([1_399], { market: { ...market(...soldOut), locations } }),
      );
      expect(actions).toEqual([]);
      expect(noOrder).toMatchObject({ reason: 'NO_OFFER', until: NOW + 60_000 });
      expect(noOrder?.message).toContain('left in nbg1 or fsn1 or hel1');
    });
  });

  it.each([
    { says: 'not covered by the configured prefix', market: { ...market(middle), serverType: 'cax' } },
    { says: 'blocked', market: { ...market(middle), blockedServers: ['cpx32'] } },
    { says: 'deprecated', market: market({ ...middle, deprecated: true }) },
    { says: 'in another location', market: market({ ...middle, location: 'fsn1' }) },
    { says: 'too small for the waiting service', market: market({ ...middle, ramMb: 1_398 }) },
  ])('is never a type that is $says', ({ market: restricted }) => {
    const { actions, noOrder } = plan(
      unschedulable([1_399], { market: restricted, nodes: [aNode({ ramMb: 1_000 })] }),
    );
    expect(actions).toEqual([]);
    expect(noOrder === null ? 'TOO_BIG' : noOrder.reason).toMatch(/NO_OFFER|TOO_BIG/);
  });

  it('may be cpx32 although cpx3 is blocked, because only complete names are compared', () => {
    expect(
      types(unschedulable([1_399], { market: { ...market(middle), blockedServers: ['cpx3'] } })),
    ).toEqual(['cpx32']);
  });

  it('does not depend on the order of the offers', () => {
    const twins = [anOffer('cpx31'), anOffer('cpx32')];
    for (const offers of [twins, twins.toReversed()]) {
      expect(types(unschedulable([1_399], { market: aMarket({ offers }) }))).toEqual(['cpx31']);
    }
  });

  it('does not depend on a service that needs more RAM than any offered type has', () => {
    const nodes = [aNode({ ramMb: 30_000, state: 'CORDONED' })];
    const { actions, waiting } = plan(unschedulable([20_000, 1_399], { market: market(small), nodes }));
    expect(actions).toMatchObject([{ kind: 'order', type: 'cpx22' }]);
    expect(waiting.get('t-2')?.reason).toBe('NODE_ON_ITS_WAY');
    expect(waiting.get('t-1')?.reason).not.toBe('NODE_ON_ITS_WAY');
  });
});

describe('the planner, when more RAM is needed', () => {
  const draining = aRentedNode('node-1', { state: 'DRAINING', drainedByRules: true });

  it('resumes a node that the rules are draining instead of ordering a new node', () => {
    const snapshot = loaded(8_000, { nodes: [aNode({ ramMb: 10_000 }), draining] });
    expect(plan(snapshot).actions).toMatchObject([{ kind: 'resume', node: 'node-1' }]);
  });

  it('orders a new node rather than resume a node that a person drained or paused', () => {
    for (const byPerson of [{ drainedByRules: false }, { held: true }]) {
      const snapshot = loaded(8_000, { nodes: [aNode({ ramMb: 10_000 }), { ...draining, ...byPerson }] });
      expect(plan(snapshot).actions).toMatchObject([{ kind: 'order' }]);
    }
  });

  it('also orders a new node if the resumed node is not enough', () => {
    const snapshot = loaded(20_000, { nodes: [aNode({ ramMb: 20_000 }), { ...draining, ramMb: 1_000 }] });
    expect(plan(snapshot).actions.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['order']));
  });
});
