import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  affordableCount,
  forecastMonth,
  whyOverBudget,
  type BudgetFacts,
} from '#master/core/fleet/budget.ts';
import { plan } from '#master/core/plan.ts';
import type { ActionOf } from '#master/core/action.ts';
import type { CloudNode, Snapshot } from '#master/core/snapshot/snapshot.ts';
import { countHours, monthEnd, monthOf, newLedger, type Ledger } from '#master/state/costs/ledger.ts';
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

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MARCH = Date.UTC(2026, 2, 1);
/** Ten hours before the end of March. */
const LATE = Date.UTC(2026, 2, 31, 14);
/** Amounts are compared with this accuracy (EUR). */
const CENT_PART = 1e-5;

const SMALL = anOffer('cpx32', { ramMb: 7_168, hourlyPrice: 0.02 });
const LARGE = anOffer('cpx52', { ramMb: 30_000, hourlyPrice: 0.07 });

function facts(limits: Partial<BudgetFacts['limits']>, rest: Partial<BudgetFacts> = {}): BudgetFacts {
  return { limits: { ...NO_LIMITS, ...limits }, paid: [], month: spent(0), ...rest };
}

/** Returns the costs of March. */
function spent(eur: number): BudgetFacts['month'] {
  return { spent: eur, endsAt: monthEnd(MARCH) };
}

function paid(count: number, hourlyPrice = 0.02, since = LATE): BudgetFacts['paid'] {
  return Array.from({ length: count }, () => ({ since, hourlyPrice }));
}

/** Returns a network without nodes, whose requested services take the given RAM (MB). */
function requested(ramMb: readonly number[], fields: Partial<Snapshot> = {}): Snapshot {
  return aSnapshot({
    now: LATE,
    month: spent(0),
    templates: [aTemplate('t')],
    services: ramMb.map((mb, i) => aService(`t-${i + 1}`, { state: 'REQUESTED', manual: true, ramMb: mb })),
    nodes: [],
    configureMode: false,
    upscalingAtPercent: 100,
    market: aMarket({ offers: [SMALL, LARGE] }),
    ...fields,
  });
}

function orders(snapshot: Snapshot): ActionOf<'order'>[] {
  return plan(snapshot).actions.flatMap((action) => (action.kind === 'order' ? [action] : []));
}

describe('the forecast of the costs in this month', () => {
  it('includes, for each node, all hours that begin between the end of its paid hour and the end of the month', () => {
    const half = { since: LATE - HOUR / 2, hourlyPrice: 0.1 };
    // The paid hour ends at 14:30. Hours begin at 14:30, 15:30, …, 23:30.
    expect(forecastMonth({ paid: [half], month: spent(3) }, LATE)).toBeCloseTo(4, 9);
    expect(forecastMonth({ paid: [], month: spent(3) }, LATE)).toBe(3);
  });

  it('ends at the end of the month in UTC', () => {
    expect(monthEnd(LATE)).toBe(Date.UTC(2026, 3, 1));
    expect(monthEnd(Date.UTC(2026, 11, 31, 23, 59))).toBe(Date.UTC(2027, 0, 1));
  });
});

describe('the number of nodes that the limits allow', () => {
  it.each([
    ['is unlimited without limits', facts({}), Infinity],
    ['is max_nodes minus the existing nodes', facts({ max_nodes: 3 }, { paid: paid(1) }), 2],
    ['is 0 if max_nodes is reached', facts({ max_nodes: 3 }, { paid: paid(3) }), 0],
    ['is 0 if there are more nodes than max_nodes', facts({ max_nodes: 3 }, { paid: paid(5) }), 0],
    ['is 0 for a limit of 0', facts({ max_nodes: 0 }), 0],
    ['is limited by the rest of max_cost_per_hour', facts({ max_cost_per_hour: 0.06 }, { paid: paid(1) }), 2],
    ['is exact despite rounding', facts({ max_cost_per_hour: 0.3 }, { paid: paid(14) }), 1],
    // One node costs 10 × 0.02 = 0.2 EUR until the end of the month.
    [
      'is limited by the rest of max_cost_per_month',
      facts({ max_cost_per_month: 1 }, { month: spent(0.55) }),
      2,
    ],
    [
      'is limited by the strictest limit',
      facts({ max_nodes: 9, max_cost_per_hour: 0.1, max_cost_per_month: 0.6 }),
      3,
    ],
  ])('%s', (_, given, want) => {
    expect(affordableCount(given, 0.02, LATE)).toBe(want);
  });
});

describe('the reason why a limit prevents an order', () => {
  it.each([
    [
      facts({ max_nodes: 1 }, { paid: paid(1) }),
      'A node is needed, but none is ordered: with it, there would be 2 cloud nodes, and the limit is 1. Raise limits.max_nodes in the master configuration, or release a node.',
      null,
    ],
    [
      facts({ max_cost_per_hour: 0.03 }, { paid: paid(1) }),
      'A node is needed, but none is ordered: with it, all cloud nodes would cost 0.04 EUR per hour, and the limit is 0.03. Raise limits.max_cost_per_hour in the master configuration, or release a node.',
      null,
    ],
    [
      facts({ max_cost_per_month: 5 }, { month: spent(4.9) }),
      'A node is needed, but none is ordered: with it, this month would cost 5.10 EUR if all cloud nodes ran until its end, and the limit is 5.00. Raise limits.max_cost_per_month in the master configuration, or release a node.',
      Date.UTC(2026, 3, 1),
    ],
  ])('contains the limit, the figures and the possible remedies', (given, message, until) => {
    expect(whyOverBudget(given, 0.02, LATE)).toEqual({ message, until });
  });

  it('is null for an order that already exists and exactly reaches the limits', () => {
    const limits = { max_nodes: 2, max_cost_per_hour: 0.04, max_cost_per_month: 0.4 };
    // The first of the ten hours until the end of the month is already paid, and `spent` contains its costs.
    const given = facts(limits, { paid: paid(2, 0.02, LATE), month: spent(0.04) });
    expect(whyOverBudget(given, null, LATE)).toBeNull();
    expect(whyOverBudget(given, 0.02, LATE)).not.toBeNull();
  });
});

describe('the planner of node orders', () => {
  it('orders as many nodes as the limits allow, and then names the limit that it has reached', () => {
    const services = [7_000, 7_000, 7_000];
    const market = aMarket({ offers: [SMALL] });
    expect(orders(requested(services, { market }))).toHaveLength(3);
    const limits = { ...NO_LIMITS, max_nodes: 2 };
    expect(orders(requested(services, { market, limits }))).toHaveLength(2);
    const nodes = [aRentedNode('node-1', { state: 'ORDERED' }), aRentedNode('node-2', { state: 'BOOTING' })];
    const next = plan(requested(services, { market, limits, nodes }));
    expect(next.actions.filter(({ kind }) => kind === 'order')).toEqual([]);
    expect(next.noOrder).toMatchObject({ reason: 'BUDGET_REACHED', until: null });
    expect(next.waiting.get('t-3')).toEqual(next.noOrder);
    expect(next.waiting.get('t-1')?.reason).toBe('NODE_ON_ITS_WAY');
  });

  it('orders smaller nodes if the budget is too low for the cheapest large node', () => {
    const services = [7_000, 7_000, 7_000, 7_000];
    // One large node for 0.07 is cheaper than four small ones for 0.08.
    expect(orders(requested(services)).map(({ type }) => type)).toEqual(['cpx52']);
    const limits = { ...NO_LIMITS, max_cost_per_hour: 0.05 };
    expect(orders(requested(services, { limits })).map(({ type }) => type)).toEqual(['cpx32', 'cpx32']);
  });

  it('orders one large node if max_nodes does not allow enough small nodes, which would be cheaper', () => {
    const services = Array.from({ length: 9 }, () => 1_000);
    expect(orders(requested(services)).map(({ type }) => type)).toEqual(['cpx32', 'cpx32']);
    const limits = { ...NO_LIMITS, max_nodes: 1 };
    expect(orders(requested(services, { limits })).map(({ type }) => type)).toEqual(['cpx52']);
  });

  it('orders the most RAM within the limits if no order is enough for all services, and the cause says so', () => {
    const services = Array.from({ length: 40 }, () => 1_000);
    const limits = { ...NO_LIMITS, max_nodes: 1 };
    expect(orders(requested(services, { limits }))).toMatchObject([
      {
        type: 'cpx52',
        cause: expect.stringContaining('is the most RAM that the limits of the budget allow') as string,
      },
    ]);
  });

  it('orders nodes for some services within the budget, and explains why a larger service waits', () => {
    const limits = { ...NO_LIMITS, max_cost_per_hour: 0.05 };
    const planned = plan(requested([20_000, 7_000], { limits }));
    expect(planned.actions.flatMap((one) => (one.kind === 'order' ? [one.type] : []))).toEqual(['cpx32']);
    expect(planned.waiting.get('t-1')).toMatchObject({
      reason: 'BUDGET_REACHED',
      message: expect.stringContaining('0.07 EUR per hour, and the limit is 0.05') as string,
    });
    expect(planned.waiting.get('t-2')?.reason).toBe('NODE_ON_ITS_WAY');
    expect(planned.noOrder?.reason).toBe('BUDGET_REACHED');
  });

  it('does not mention the budget if no node is needed', () => {
    const limits = { ...NO_LIMITS, max_nodes: 0 };
    expect(plan(requested([], { limits, nodes: [aNode({ id: 'local' })] })).noOrder).toBeNull();
  });

  it('never exceeds a limit', () => {
    const amount = (max: number): fc.Arbitrary<number> =>
      fc.oneof(fc.constant(-1), fc.double({ min: 0, max, noNaN: true }));
    fc.assert(
      fc.property(
        fc.record({
          ram: fc.array(fc.integer({ min: 500, max: 40_000 }), { maxLength: 12 }),
          max_nodes: fc.integer({ min: -1, max: 6 }),
          max_cost_per_hour: amount(0.4),
          max_cost_per_month: amount(60),
          spentThisMonth: fc.double({ min: 0, max: 40, noNaN: true }),
          now: fc.integer({ min: MARCH, max: MARCH + 31 * DAY - 1 }),
          nodes: fc.array(
            fc.record({ agoMs: fc.nat({ max: 5 * HOUR }), hourlyPrice: fc.constantFrom(0.02, 0.07, 0.5) }),
            { maxLength: 4 },
          ),
        }),
        ({ ram, spentThisMonth, now, nodes, ...limits }) => {
          const existing = nodes.map(({ agoMs, hourlyPrice }, i) =>
            aRentedNode(`node-${i + 1}`, {
              state: (['ORDERED', 'READY', 'DELETING', 'LOST'] as const)[i % 4] ?? 'READY',
              rental: { type: 'cpx32', since: now - agoMs, hourlyPrice },
            }),
          );
          const ordered = orders(
            requested(ram, { now, limits, month: spent(spentThisMonth), nodes: existing }),
          );
          if (ordered.length === 0) return;
          const prices = new Map([SMALL, LARGE].map(({ type, hourlyPrice }) => [type, hourlyPrice]));
          const all = [
            ...existing.flatMap(({ rental }) => rental ?? []),
            ...ordered.map(({ type }) => ({ since: now, hourlyPrice: prices.get(type) ?? 0 })),
          ];
          const first = ordered.reduce((sum, { type }) => sum + (prices.get(type) ?? 0), 0);
          const forecast = forecastMonth({ paid: all, month: spent(spentThisMonth + first) }, now);
          const perHour = all.reduce((sum, { hourlyPrice }) => sum + hourlyPrice, 0);
          const within = (value: number, limit: number): boolean =>
            limit === -1 || value <= limit + CENT_PART;
          expect(within(all.length, limits.max_nodes)).toBe(true);
          expect(within(perHour, limits.max_cost_per_hour)).toBe(true);
          expect(within(forecast, limits.max_cost_per_month)).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

/** What happens to a fleet at one moment of a month. */
interface Moment {
  readonly afterMs: number;
  readonly wanted: number;
  readonly hourlyPrice: number;
  readonly released: number;
  /** Factor by which the provider changes the prices of all nodes and offers; at most 1. */
  readonly cheaper: number;
  readonly isRestarted: boolean;
}

const moments: fc.Arbitrary<readonly Moment[]> = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.nat({ max: HOUR }), fc.nat({ max: 4 * DAY })),
    wanted: fc.nat({ max: 5 }),
    hourlyPrice: fc.constantFrom(0.0104, 0.0208, 0.0766, 0.5),
    released: fc.nat({ max: 3 }),
    cheaper: fc.constantFrom(1, 1, 1, 0.9, 0.5),
    isRestarted: fc.boolean(),
  }),
  { maxLength: 40 },
);

describe('the monthly costs of all nodes', () => {
  it('never exceed max_cost_per_month, for any sequence of orders, releases and restarts', () => {
    fc.assert(
      fc.property(moments, fc.double({ min: 0, max: 80, noNaN: true }), (all, limit) => {
        let [now, number, price] = [MARCH, 0, 1];
        let nodes: CloudNode[] = [];
        let ledger: Ledger = newLedger(now);
        for (const moment of all) {
          now = Math.min(now + moment.afterMs, monthEnd(MARCH) - 1);
          price *= moment.cheaper;
          nodes = nodes.map(({ node, rental }) => ({
            node,
            rental: { ...rental, hourlyPrice: rental.hourlyPrice * moment.cheaper },
          }));
          ledger = countHours(ledger, nodes, now);
          nodes = nodes.slice(Math.min(moment.released, nodes.length));
          const offer = moment.hourlyPrice * price;
          const given = facts(
            { max_cost_per_month: limit },
            {
              paid: nodes.map(({ rental }) => rental),
              month: spent(ledger.months[monthOf(now)] ?? 0),
            },
          );
          for (let n = Math.min(moment.wanted, affordableCount(given, offer, now)); n > 0; n -= 1) {
            number += 1;
            nodes.push({ node: `node-${number}`, rental: { since: now, hourlyPrice: offer } });
          }
          ledger = countHours(ledger, nodes, now);
          // A restarted master reads the ledger from its disk.
          if (moment.isRestarted) ledger = JSON.parse(JSON.stringify(ledger)) as Ledger;
        }
        ledger = countHours(ledger, nodes, monthEnd(MARCH) - 1);
        expect(ledger.months['2026-03'] ?? 0).toBeLessThanOrEqual(limit + CENT_PART);
      }),
      { numRuns: 2_000 },
    );
  });
});
