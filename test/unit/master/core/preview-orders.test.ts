import { describe, expect, it } from 'vitest';
import { previewOrders } from '#master/core/preview-orders.ts';
import {
  aMarket,
  aNode,
  anOffer,
  aRentedNode,
  aService,
  aSnapshot,
  aTemplate,
  NO_LIMITS,
} from '#test/support/master/snapshots.ts';

/** A network that needs six services of 1,399 MB. One of them fits on the existing node. */
const crowded = {
  templates: [aTemplate('t', { minimumRunningServers: 6 })],
  nodes: [aNode({ ramMb: 1_500 })],
  upscalingAtPercent: 100,
};

describe('the preview of node orders', () => {
  it('contains a node for each service that fits on no existing node, with type and location', () => {
    const { orders, noOrder } = previewOrders(aSnapshot({ ...crowded, market: aMarket() }));
    expect(orders.map(({ node, type, location }) => [node, type, location])).toEqual([
      ['node-100', 'cpx32', 'nbg1'],
    ]);
    expect(noOrder).toBeNull();
  });

  it('is empty if the existing nodes have enough room', () => {
    const snapshot = aSnapshot({
      templates: [aTemplate('t', { minimumRunningServers: 1 })],
      services: [aService('t-1')],
      market: aMarket(),
    });
    expect(previewOrders(snapshot)).toEqual({ orders: [], noOrder: null });
  });

  it('stays within the budget, and names the limit that prevents further nodes', () => {
    const limits = { ...NO_LIMITS, max_nodes: 1 };
    const nodes = [aNode({ ramMb: 1_500 }), aRentedNode('node-1', { state: 'BOOTING', ramMb: 10 })];
    const { orders, noOrder } = previewOrders(aSnapshot({ ...crowded, nodes, limits, market: aMarket() }));
    expect(orders).toEqual([]);
    expect(noOrder).toMatchObject({ reason: 'BUDGET_REACHED' });
    expect(noOrder?.message).toContain('limits.max_nodes');
  });

  it('explains why no node is ordered if the provider offers no allowed server type', () => {
    const market = aMarket({ offers: [anOffer('cax11')] });
    const { orders, noOrder } = previewOrders(aSnapshot({ ...crowded, market }));
    expect([orders, noOrder?.reason]).toEqual([[], 'NO_OFFER']);
  });
});
