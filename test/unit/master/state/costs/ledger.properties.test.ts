import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countHours,
  ledgerSchema,
  monthOf,
  monthStart,
  newLedger,
  toCosts,
  type Ledger,
} from '#master/state/costs/ledger.ts';
import type { CloudNode } from '#master/core/snapshot/snapshot.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const BEGIN = Date.UTC(2026, 0, 20);

/** A cloud node that existed for a while. */
interface Stay {
  readonly node: string;
  readonly since: number;
  readonly until: number;
  readonly hourlyPrice: number;
}

const stays: fc.Arbitrary<readonly Stay[]> = fc
  .array(
    fc.record({
      beginMs: fc.nat({ max: 50 * DAY }),
      lastsMs: fc.oneof(
        fc.integer({ min: 60_000, max: 5 * HOUR }),
        fc.integer({ min: 60_000, max: 40 * DAY }),
      ),
      hourlyPrice: fc.constantFrom(0.0104, 0.0208, 0.5, 0),
    }),
    { maxLength: 8 },
  )
  .map((all) =>
    all.map(({ beginMs, lastsMs, hourlyPrice }, i) => {
      const since = BEGIN + beginMs;
      return { node: `node-${i + 1}`, since, until: since + lastsMs, hourlyPrice };
    }),
  );

function rentedAt(all: readonly Stay[], now: number): CloudNode[] {
  return all
    .filter(({ since, until }) => since <= now && now < until)
    .map(({ node, since, hourlyPrice }) => ({ node, rental: { since, hourlyPrice } }));
}

/** Returns the costs of a month as a plain sum: the prices of all observed hours that began in this month. */
function plainly(all: readonly Stay[], looks: readonly number[], month: string): number {
  let sum = 0;
  for (const { since, until, hourlyPrice } of all) {
    const last = looks.filter((at) => at >= since && at < until).at(-1);
    if (last === undefined) continue;
    for (let begin = since; begin < last || begin === since; begin += HOUR) {
      if (monthOf(begin) === month) sum += hourlyPrice;
    }
  }
  return sum;
}

function looksFrom(pauses: readonly number[]): number[] {
  let at = BEGIN;
  return pauses.map((pause) => (at += pause));
}

const pauses = fc.array(fc.oneof(fc.constant(10_000), fc.integer({ min: 1, max: 2 * DAY })), {
  minLength: 1,
  maxLength: 120,
});

function look(ledger: Ledger, all: readonly Stay[], now: number): Ledger {
  return countHours(ledger, rentedAt(all, now), now);
}

describe('the computed cost of cloud nodes', () => {
  it('equals a simple recomputation of each month, even after restarts and releases', () => {
    fc.assert(
      fc.property(
        stays,
        pauses,
        fc.array(fc.boolean(), { minLength: 120, maxLength: 120 }),
        (all, gaps, restarts) => {
          const looks = looksFrom(gaps);
          let ledger = newLedger(BEGIN);
          looks.forEach((now, i) => {
            ledger = look(ledger, all, now);
            // A restart reads the ledger back from disk.
            if (restarts[i] === true) ledger = ledgerSchema.parse(JSON.parse(JSON.stringify(ledger)));
          });
          for (const month of ['2026-01', '2026-02', '2026-03', '2026-04']) {
            expect(ledger.months[month] ?? 0).toBeCloseTo(plainly(all, looks, month), 6);
          }
          const now = looks.at(-1) ?? BEGIN;
          const costs = toCosts(ledger, rentedAt(all, now), now);
          expect(costs.month).toBeCloseTo(plainly(all, looks, monthOf(now)), 6);
          expect(costs.rentedNodes).toBe(rentedAt(all, now).length);
          expect(costs.monthSince).toBe(Math.max(monthStart(now), BEGIN));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('is the same if it is computed twice within the same paid hours', () => {
    fc.assert(
      fc.property(stays, pauses, (all, gaps) => {
        let ledger = newLedger(BEGIN);
        for (const now of looksFrom(gaps)) {
          ledger = look(ledger, all, now);
          expect(look(ledger, all, now)).toBe(ledger);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is correct again after a wrong clock was corrected', () => {
    fc.assert(
      fc.property(stays, pauses, fc.integer({ min: -60 * DAY, max: 60 * DAY }), (all, gaps, offMs) => {
        const looks = looksFrom(gaps);
        const now = looks.at(-1) ?? BEGIN;
        let right = newLedger(BEGIN);
        for (const at of looks) right = look(right, all, at);
        // The provider still has the same nodes. Only the clock of this machine is wrong.
        const wrong = countHours(right, rentedAt(all, now), now + offMs);
        const again = countHours(wrong, rentedAt(all, now), now);
        for (const month of Object.keys(right.months)) {
          expect(again.months[month] ?? 0).toBeCloseTo(right.months[month] ?? 0, 6);
        }
        expect(again.rented).toEqual(right.rented);
      }),
      { numRuns: 100 },
    );
  });

  it('uses an increased price only for hours that begin after the increase', () => {
    const at = Date.UTC(2026, 2, 1, 10, 10);
    const rented = (hourlyPrice: number): CloudNode[] => [
      { node: 'node-1', rental: { since: at, hourlyPrice } },
    ];
    let ledger = countHours(newLedger(at), rented(0.02), at + 5_000);
    expect(ledger.months).toEqual({ '2026-03': 0.02 });
    ledger = countHours(ledger, rented(0.03), at + HOUR - 1);
    expect(ledger.months['2026-03']).toBeCloseTo(0.02, 9);
    ledger = countHours(ledger, rented(0.03), at + HOUR + 1);
    expect(ledger.months['2026-03']).toBeCloseTo(0.05, 9);
    expect(toCosts(ledger, rented(0.03), at + HOUR + 1).perHour).toBeCloseTo(0.03, 9);
  });

  it('treats a node that is ordered again under an earlier name as a new node', () => {
    const at = Date.UTC(2026, 2, 1);
    const rented = (since: number): CloudNode[] => [{ node: 'node-1', rental: { since, hourlyPrice: 1 } }];
    let ledger = countHours(newLedger(at), rented(at), at + 1);
    ledger = countHours(ledger, [], at + 2);
    ledger = countHours(ledger, rented(at + 3), at + 4);
    expect(ledger.months).toEqual({ '2026-03': 2 });
  });

  it('adds an hour to the month in which the hour began', () => {
    const since = Date.UTC(2026, 2, 31, 22, 30);
    const rented: CloudNode[] = [{ node: 'node-1', rental: { since, hourlyPrice: 1 } }];
    const ledger = countHours(newLedger(since), rented, Date.UTC(2026, 3, 1, 1, 0));
    expect(ledger.months).toEqual({ '2026-03': 2, '2026-04': 1 });
    expect(toCosts(ledger, rented, Date.UTC(2026, 3, 1, 1, 0))).toMatchObject({
      month: 1,
      monthSince: Date.UTC(2026, 3, 1),
    });
  });
});
