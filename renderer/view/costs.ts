import type { Costs } from '#shared/model/history.ts';
import { toMoney } from './format/money.ts';

const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Formats the current costs for the Overview screen. Null if there are no cloud nodes and there can be none. */
export function toCostWords(
  { perHour, month, monthSince, rentedNodes, canRent }: Costs,
  now: number,
): { readonly perHour: string; readonly month: string } | null {
  if (!canRent && rentedNodes === 0 && month === 0) return null;
  const first = new Date(now);
  const sinceFirst = monthSince <= Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), 1);
  const since = sinceFirst ? 'this month' : `since ${date.format(monthSince)}`;
  return { perHour: `${toMoney(perHour)} / h`, month: `${toMoney(month)} ${since}` };
}
