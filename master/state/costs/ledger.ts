import { z } from 'zod';
import type { Costs } from '#shared/model/history.ts';
import type { CloudNode } from '#master/core/snapshot/snapshot.ts';
import { HOUR_MS, paidUntil } from '#master/core/fleet/release-window.ts';

/**
 * Number of months to keep (about 5 KB). The number is so large that a clock that is years ahead for a while does not
 * push out the current month.
 */
const KEPT_MONTHS = 240;

export const ledgerSchema = z.strictObject({
  /** When counting began (ms since epoch). */
  since: z.int(),
  /** Cost of the hours that began in a month, by UTC month such as `2026-03` (EUR, without VAT). */
  months: z.record(z.string().regex(/^\d{4,}-\d{2}$/), z.number()),
  /** Current cloud nodes by name, with the number of hours counted so far. */
  rented: z.record(
    z.string(),
    z.strictObject({
      since: z.int(),
      /** Prices paid: the hour from which a price applies (0 is the first), and EUR per hour. */
      prices: z.array(z.strictObject({ fromHour: z.int().min(0), eur: z.number().min(0) })).min(1),
      hours: z.int().min(0),
    }),
  ),
});

/**
 * Costs of cloud nodes, and the hour up to which they were counted. The size of the ledger does not grow with the
 * number of past nodes.
 */
export type Ledger = z.infer<typeof ledgerSchema>;
type Entry = Ledger['rented'][string];

/** Returns an empty ledger whose counting begins now (ms since epoch). */
export function newLedger(now: number): Ledger {
  return { since: now, months: {}, rented: {} };
}

/**
 * Counts the hours of the current nodes. Every hour that has begun is paid in full (docs/scaling.md) and belongs to
 * the month in which it began. The counted hours of a removed node remain. If the clock was set back, hours that
 * now lie in the future are subtracted again.
 *
 * Example: a node ordered at 10:10 has counted 1 hour at 10:30 and 2 hours at 11:11.
 *
 * @param now ms since epoch
 * @returns the new ledger; the given one if nothing changed, so that nothing has to be written
 */
export function countHours(ledger: Ledger, nodes: readonly CloudNode[], now: number): Ledger {
  const months = new Map(Object.entries(ledger.months));
  const rented: Record<string, Entry> = {};
  let changed = false;
  for (const { node, rental } of nodes) {
    const known = ledger.rented[node];
    const before = known?.since === rental.since ? known : begin(rental);
    const after = countEntry(before, rental, { now, months });
    if (after !== known) changed = true;
    rented[node] = after;
  }
  if (Object.keys(ledger.rented).some((node) => rented[node] === undefined)) changed = true;
  return changed ? { since: ledger.since, months: newest(months), rented } : ledger;
}

function begin({ since, hourlyPrice }: CloudNode['rental']): Entry {
  return { since, prices: [{ fromHour: 0, eur: hourlyPrice }], hours: 0 };
}

function countEntry(
  before: Entry,
  { hourlyPrice }: CloudNode['rental'],
  { now, months }: { readonly now: number; readonly months: Map<string, number> },
): Entry {
  const hours = (paidUntil(before, now) - before.since) / HOUR_MS;
  const entry = hours > before.hours ? withPrice(before, hourlyPrice) : before;
  for (let hour = before.hours; hour < hours; hour++) {
    const month = monthOf(entry.since + hour * HOUR_MS);
    months.set(month, (months.get(month) ?? 0) + priceOf(entry, hour));
  }
  for (let hour = before.hours - 1; hour >= hours; hour--) {
    const month = monthOf(entry.since + hour * HOUR_MS);
    months.set(month, Math.max(0, (months.get(month) ?? 0) - priceOf(entry, hour)));
  }
  return hours === before.hours ? before : { ...entry, hours };
}

/** Applies a new price to hours that begin from now on. Earlier hours keep their price. */
function withPrice(entry: Entry, eur: number): Entry {
  if (entry.prices.at(-1)?.eur === eur) return entry;
  return { ...entry, prices: [...entry.prices, { fromHour: entry.hours, eur }].slice(-8) };
}

function priceOf({ prices }: Entry, hour: number): number {
  return (prices.findLast(({ fromHour }) => fromHour <= hour) ?? prices[0])?.eur ?? 0;
}

function newest(months: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...months].sort(([a], [b]) => (a < b ? -1 : 1)).slice(-KEPT_MONTHS));
}

/**
 * Returns the UTC month of a time (ms since epoch).
 *
 * Example: 14 March 2026 → `2026-03`.
 */
export function monthOf(at: number): string {
  return new Date(at).toISOString().replace(/-\d{2}T.*$/, '');
}

/**
 * Returns the start of the UTC month that contains a time (ms since epoch).
 *
 * Example: 14 March 2026, 12:00 → 1 March 2026, 00:00.
 */
export function monthStart(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/**
 * Returns the end of the UTC month that contains a time (ms since epoch).
 *
 * Example: 14 March 2026, 12:00 → 1 April 2026, 00:00.
 */
export function monthEnd(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/**
 * Returns the current cost per hour and the cost of this month, as the admin API shows them (EUR, without VAT).
 *
 * Example: two nodes at 0.02 EUR per hour cost 0.04 EUR per hour.
 */
export function toCosts(
  ledger: Ledger,
  nodes: readonly CloudNode[],
  now: number,
): Omit<Costs, 'canRent' | 'monthForecast'> {
  return {
    perHour: nodes.reduce((sum, { rental }) => sum + rental.hourlyPrice, 0),
    month: ledger.months[monthOf(now)] ?? 0,
    monthSince: Math.max(monthStart(now), ledger.since),
    rentedNodes: nodes.length,
  };
}
