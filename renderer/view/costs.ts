import type { Costs } from '#shared/model/history.ts';
import { toMoney } from './format/money.ts';

const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The costs of cloud nodes in words. */
export interface CostWords {
  readonly perHour: string;
  readonly month: string;
  /** Cost of the whole month if all cloud nodes run until its end. Null if the master does not report it. */
  readonly forecast: string | null;
}

/**
 * Formats the current costs for the Overview screen. Null if all of this is true: there are no cloud nodes, none can
 * be ordered, and the month has no costs.
 *
 * @param monthLimit `limits.max_cost_per_month` (EUR); null without a limit
 */
export function toCostWords(
  { perHour, month, monthSince, monthForecast, rentedNodes, canRent }: Costs,
  now: number,
  monthLimit: number | null = null,
): CostWords | null {
  if (!canRent && rentedNodes === 0 && month === 0) return null;
  const first = new Date(now);
  const sinceFirst = monthSince <= Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), 1);
  const since = sinceFirst ? 'this month' : `since ${date.format(monthSince)}`;
  const limit = monthLimit === null ? '' : `, at most ${toMoney(monthLimit)}`;
  return {
    perHour: `${toMoney(perHour)} / h`,
    month: `${toMoney(month)} ${since}`,
    forecast: monthForecast === undefined ? null : `${toMoney(monthForecast)} by its end${limit}`,
  };
}
