import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { savesToRemove } from '#master/core/volumes/retention.ts';

const DAY = 86_400_000;

/** Returns a save of the data at a moment. By default, the save was stored at the same moment. */
function aSave(moment: string, storedAt = moment): { id: string; at: number; storedAt: number } {
  return { id: moment, at: Date.parse(moment), storedAt: Date.parse(storedAt) };
}

describe('savesToRemove (decides which saves are deleted)', () => {
  it('keeps the newest saves, and also the newest save of each day and each week', () => {
    const saves = [
      '2026-11-24T12:00:00Z',
      '2026-11-24T11:00:00Z',
      '2026-11-24T10:00:00Z',
      '2026-11-23T23:00:00Z',
      '2026-11-23T01:00:00Z',
      '2026-11-22T10:00:00Z',
      '2026-11-18T10:00:00Z',
      '2026-11-10T10:00:00Z',
    ].map((moment) => aSave(moment));
    expect(savesToRemove(saves, { last: 2, daily: 2, weekly: 2 })).toEqual([
      '2026-11-24T10:00:00Z',
      '2026-11-23T01:00:00Z',
      '2026-11-18T10:00:00Z',
      '2026-11-10T10:00:00Z',
    ]);
  });

  it('never removes the newest save', () => {
    expect(savesToRemove([aSave('2026-11-24T12:00:00Z')], { last: 0, daily: 0, weekly: 0 })).toEqual([]);
  });

  it('keeps the newest save of a day even if an earlier save of that day was restored', () => {
    const saves = [
      aSave('2026-11-20T08:00:00Z', '2026-11-23T12:00:00Z'),
      aSave('2026-11-23T11:00:00Z'),
      aSave('2026-11-22T10:00:00Z'),
      aSave('2026-11-21T10:00:00Z'),
      aSave('2026-11-20T23:00:00Z'),
      aSave('2026-11-20T07:00:00Z'),
    ];
    expect(savesToRemove(saves, { last: 1, daily: 4, weekly: 0 })).toEqual(['2026-11-20T07:00:00Z']);
  });

  it('keeps the saves of the last days even if an old save was restored', () => {
    const saves = [
      aSave('2026-10-01T08:00:00Z', '2026-11-23T12:00:00Z'),
      aSave('2026-11-23T11:00:00Z'),
      aSave('2026-11-22T10:00:00Z'),
    ];
    expect(savesToRemove(saves, { last: 1, daily: 2, weekly: 0 })).toEqual([]);
  });

  it('counts the days on which saves were made, even if one save was made while the clock was ahead', () => {
    const saves = [
      aSave('2026-11-24T12:00:00Z', '2026-12-24T10:00:00.005Z'),
      aSave('2026-11-24T11:00:00Z', '2026-12-24T10:00:00.004Z'),
      aSave('2026-11-23T12:00:00Z', '2026-12-24T10:00:00.003Z'),
      aSave('2026-11-23T11:00:00Z', '2026-12-24T10:00:00.002Z'),
      aSave('2026-11-22T11:00:00Z', '2026-12-24T10:00:00.001Z'),
      aSave('2026-12-24T10:00:00Z'),
    ];
    expect(savesToRemove(saves, { last: 1, daily: 3, weekly: 0 })).toEqual([
      '2026-11-24T11:00:00Z',
      '2026-11-23T11:00:00Z',
    ]);
  });
});

describe('the retention of saves, despite restores and wrong clocks,', () => {
  /** Saves with arbitrary moments. The saves are stored one after the other, so the last save was stored last. */
  const anySaves = fc
    .array(fc.integer({ min: 0, max: 40 * DAY }), { minLength: 1, maxLength: 40 })
    .map((moments) => moments.map((at, index) => ({ id: `save-${index}`, at, storedAt: index })));
  const anyRetention = fc.record({
    last: fc.integer({ min: 0, max: 5 }),
    daily: fc.integer({ min: 0, max: 5 }),
    weekly: fc.integer({ min: 0, max: 3 }),
  });

  it('keeps the saves that were stored last, and a limited number of saves', () => {
    fc.assert(
      fc.property(anySaves, anyRetention, (saves, retention) => {
        const removed = new Set(savesToRemove(saves, retention));
        const last = saves.slice(-Math.max(1, retention.last));
        expect(last.filter(({ id }) => removed.has(id))).toEqual([]);
        const limit = Math.max(1, retention.last) + 2 * (retention.daily + retention.weekly);
        expect(saves.length - removed.size).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it('keeps the last save of each of the last days', () => {
    fc.assert(
      fc.property(anySaves, anyRetention, (saves, retention) => {
        const removed = new Set(savesToRemove(saves, retention));
        const dayOf = ({ at }: { readonly at: number }): number => Math.floor(at / DAY);
        const days = [...new Set(saves.map(dayOf))].sort((a, b) => b - a).slice(0, retention.daily);
        for (const day of days) {
          const ofDay = saves.filter((one) => dayOf(one) === day);
          const latest = Math.max(...ofDay.map(({ at }) => at));
          expect(ofDay.some(({ id, at }) => at === latest && !removed.has(id))).toBe(true);
        }
      }),
    );
  });

  it('removes no further save when it is applied again', () => {
    fc.assert(
      fc.property(anySaves, anyRetention, (saves, retention) => {
        const removed = new Set(savesToRemove(saves, retention));
        expect(
          savesToRemove(
            saves.filter(({ id }) => !removed.has(id)),
            retention,
          ),
        ).toEqual([]);
      }),
    );
  });
});
