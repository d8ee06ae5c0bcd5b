import { z } from 'zod';
import type { Costs } from '#shared/model/history.ts';
import type { Rental } from '#shared/model/node.ts';
import { HOUR_MS, paidUntil } from '#master/core/fleet/rental.ts';

/** A node that costs money, as its provider tells it now. */
export interface RentedNode {
  readonly node: string;
  readonly rental: Pick<Rental, 'since' | 'hourlyPrice'>;
}

/** Months that are kept, 5 KB: so many that a clock which is years ahead for a while does not push the present one out. */
const KEPT_MONTHS = 240;

export const ledgerSchema = z.strictObject({
  /** When counting began, ms since epoch. */
  since: z.int(),
  /** Net EUR of the hours that began in a month (UTC), by `2026-03`. */
  months: z.record(z.string().regex(/^\d{4,}-\d{2}$/), z.number()),
  /** What is rented now, by node: hours counted so far, the first being 0. */
  rented: z.record(
    z.string(),
    z.strictObject({
      since: z.int(),
      /** What each price was paid for: from which hour on, EUR. */
      prices: z.array(z.strictObject({ fromHour: z.int().min(0), eur: z.number().min(0) })).min(1),
      hours: z.int().min(0),
    }),
  ),
});

/** What rented nodes have cost, and how far it was counted. Small however many nodes come and go. */
export type Ledger = z.infer<typeof ledgerSchema>;
type Entry = Ledger['rented'][string];

/** A ledger as it begins. */
export function newLedger(now: number): Ledger {
  return { since: now, months: {}, rented: {} };
}

/**
 * Brings the ledger up to what is rented at a time: every hour that has begun is paid in full (docs/scaling.md), by the
 * month in which it began. A node that is gone keeps what was counted; one whose clock went back gives the hours that
 * have not begun after all back.
 *
 * @returns the same object when nothing changed, so that nothing need be written
 */
export function countHours(ledger: Ledger, nodes: readonly RentedNode[], now: number): Ledger {
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

function begin({ since, hourlyPrice }: RentedNode['rental']): Entry {
  return { since, prices: [{ fromHour: 0, eur: hourlyPrice }], hours: 0 };
}

function countEntry(
  before: Entry,
  { hourlyPrice }: RentedNode['rental'],
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

/** Hours that begin from now on cost the new price; those that have begun keep theirs. */
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

/** `2026-03` of a time (UTC). */
export function monthOf(at: number): string {
  return new Date(at).toISOString().replace(/-\d{2}T.*$/, '');
}

/** Begin of the month (UTC) that a time is in, ms since epoch. */
export function monthStart(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** What is paid now and was paid this month, as the admin API shows it. */
export function toCosts(ledger: Ledger, nodes: readonly RentedNode[], now: number): Omit<Costs, 'canRent'> {
  return {
    perHour: nodes.reduce((sum, { rental }) => sum + rental.hourlyPrice, 0),
    month: ledger.months[monthOf(now)] ?? 0,
    monthSince: Math.max(monthStart(now), ledger.since),
    rentedNodes: nodes.length,
  };
}
