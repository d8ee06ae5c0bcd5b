import type { MasterConfig } from '#shared/config/master.ts';
import type { Wait } from '#shared/model/wait.ts';
import type { MonthCosts, PaidNode, Snapshot } from '../snapshot/snapshot.ts';
import { HOUR_MS, paidUntil } from './release-window.ts';

/** Facts that decide whether another node is within the limits of the master configuration. */
export interface BudgetFacts {
  /** Limits for orders; -1 means no limit (docs/specification.md#limits-of-the-budget). */
  readonly limits: MasterConfig['limits'];
  /** All cloud nodes that exist, are on order or are being deleted. */
  readonly paid: readonly PaidNode[];
  readonly month: MonthCosts;
}

/** Returns the facts of a snapshot that decide whether another node is within the limits. */
export function budgetOf({
  limits,
  month,
  nodes,
}: Pick<Snapshot, 'limits' | 'month' | 'nodes'>): BudgetFacts {
  return { limits, month, paid: nodes.flatMap(({ rental }) => rental ?? []) };
}

/**
 * Tolerance for comparing costs with limits (EUR). Sums of decimal fractions contain rounding errors, so a limit that
 * is reached exactly may otherwise look exceeded.
 */
const ROUNDING = 1e-6;

/**
 * Returns the total cost of this month if every cloud node runs until the end of the month (EUR, without VAT). An
 * hour belongs to the month in which it begins.
 *
 * Example: 3 EUR are spent. One node at 0.02 EUR per hour is paid until ten hours before the end of the month → 3.2.
 */
export function forecastMonth({ paid, month }: Omit<BudgetFacts, 'limits'>, now: number): number {
  return paid.reduce(
    (sum, node) => sum + node.hourlyPrice * hoursBetween(paidUntil(node, now), month.endsAt),
    month.spent,
  );
}

/**
 * Returns how many more nodes of the given price can be ordered within all limits. Less than 1 if a limit is reached;
 * Infinity if there are no limits.
 *
 * Example: two nodes, and `max_nodes` 3 → 1.
 *
 * @param hourlyPrice price of one node per hour (EUR, without VAT)
 */
export function affordableCount(facts: BudgetFacts, hourlyPrice: number, now: number): number {
  return Math.min(...margins(facts, hourlyPrice, now).map(({ count }) => count));
}

/**
 * Returns why no node of the given price may be ordered, and when this reason ends by itself. Null if such a node may
 * be ordered.
 *
 * @param hourlyPrice price of one node per hour (EUR, without VAT). If several server types are possible, the lowest
 * of their prices. Null to check an order that `facts.paid` already contains
 */
export function whyOverBudget(
  facts: BudgetFacts,
  hourlyPrice: number | null,
  now: number,
): Pick<Wait, 'message' | 'until'> | null {
  const reached = margins(facts, hourlyPrice, now).find(({ count }) => count < 1);
  if (reached === undefined) return null;
  const message = `A node is needed, but none is ordered: with it, ${reached.outcome}. Raise ${reached.limit} in the master configuration, or release a node.`;
  return { message, until: reached.until };
}

/** How far one limit is from being reached. */
interface Margin {
  readonly limit: `limits.${keyof BudgetFacts['limits']}`;
  /** Number of nodes that may still be ordered; 0 or more. */
  readonly count: number;
  /** Text that says what one more node would lead to, with the figures of the limit. */
  readonly outcome: string;
  /** When the limit starts to count from zero again (ms since epoch); null if it never does. */
  readonly until: number | null;
}

function margins(facts: BudgetFacts, hourlyPrice: number | null, now: number): readonly Margin[] {
  const { max_nodes: maxNodes, max_cost_per_hour: maxHour, max_cost_per_month: maxMonth } = facts.limits;
  const more = hourlyPrice === null ? 0 : 1;
  const perHour = facts.paid.reduce((sum, node) => sum + node.hourlyPrice, 0);
  const morePerHour = hourlyPrice ?? 0;
  const month = forecastMonth(facts, now);
  const { endsAt } = facts.month;
  const moreThisMonth = morePerHour * hoursBetween(now, endsAt);
  return [
    {
      limit: 'limits.max_nodes',
      count: fitting(maxNodes, facts.paid.length, more),
      outcome: `there would be ${facts.paid.length + more} cloud nodes, and the limit is ${maxNodes}`,
      until: null,
    },
    {
      limit: 'limits.max_cost_per_hour',
      count: fitting(maxHour, perHour, morePerHour),
      outcome: `all cloud nodes would cost ${euros(perHour + morePerHour)} EUR per hour, and the limit is ${euros(maxHour)}`,
      until: null,
    },
    {
      limit: 'limits.max_cost_per_month',
      count: fitting(maxMonth, month, moreThisMonth),
      outcome: `this month would cost ${euros(month + moreThisMonth)} EUR if all cloud nodes ran until its end, and the limit is ${euros(maxMonth)}`,
      until: endsAt,
    },
  ];
}

/** Returns how many times `each` fits between `used` and `limit`. Infinity if the limit is -1. */
function fitting(limit: number, used: number, each: number): number {
  if (limit === -1) return Infinity;
  const left = limit - used + ROUNDING;
  if (left < 0) return 0;
  return each <= 0 ? Infinity : Math.floor(left / each);
}

/** Returns the number of hours that begin in a period. */
function hoursBetween(from: number, to: number): number {
  return Math.max(0, Math.ceil((to - from) / HOUR_MS));
}

/** Formats an amount with two to four decimals: 0.0208 → "0.0208", 3 → "3.00". */
function euros(amount: number): string {
  return amount.toFixed(4).replace(/0{1,2}$/, '');
}
