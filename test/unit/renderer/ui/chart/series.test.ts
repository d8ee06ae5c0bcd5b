import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readChartKey } from '#renderer/ui/chart/chart-cursor.svelte.ts';
import { placeLabels } from '#renderer/ui/chart/labels.ts';
import {
  lastKnown,
  lonelyIndices,
  toReading,
  toScale,
  toSummary,
  type ChartSeries,
} from '#renderer/ui/chart/series.ts';

type Values = readonly (number | null)[];

const line = (values: Values, rest: Partial<ChartSeries> = {}): ChartSeries => ({
  id: 'players',
  label: 'players',
  kind: 'area',
  tone: 'accent',
  values,
  ...rest,
});
const limit = (value: number): ChartSeries =>
  line([value, value], { id: 'limit', label: 'limit', kind: 'limit' });
const words = { format: (value: number) => String(value), formatAt: (at: number) => `at ${at}` };

describe('toScale (computes the axis of a chart)', () => {
  it('includes the limit if the values are not far below it', () => {
    expect(toScale([line([37]), limit(100)], true)).toEqual({ top: 100, marks: [0, 50, 100] });
    expect(toScale([line([7]), limit(100)], true)).toEqual({ top: 9, marks: [0, 3, 6, 9] });
    expect(toScale([line([null]), limit(100)], true)).toEqual({ top: 1, marks: [0, 1] });
  });

  it('includes all values, and returns 2 to 4 marks', () => {
    const values = fc.array(fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }), { nil: null }));
    fc.assert(
      fc.property(values, fc.boolean(), (all, whole) => {
        const { top, marks } = toScale([line(all)], whole);
        const most = Math.max(0, ...all.map((value) => value ?? 0));
        expect(top).toBeGreaterThanOrEqual(most * (1 - 1e-9));
        expect(marks.length).toBeGreaterThanOrEqual(2);
        expect(marks.length).toBeLessThanOrEqual(4);
        expect(marks[0]).toBe(0);
        expect(marks.at(-1)).toBe(top);
        if (whole && most > 0) expect(marks.every((mark) => Number.isInteger(mark))).toBe(true);
      }),
    );
  });
});

describe('placeLabels (places labels at the lines of a chart)', () => {
  it('places all labels inside the chart, in order and without overlaps', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -50, max: 250, noNaN: true }), { maxLength: 6 }), (ys) => {
        const wanted = ys.map((y, i) => ({ id: String(i), y, above: false }));
        const placed = placeLabels(wanted, 120);
        expect(placed.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
        const sorted = [...placed].sort((a, b) => a.y - b.y);
        sorted.forEach(({ y }, i) => {
          expect(y).toBeGreaterThanOrEqual(7.5 - 1e-6);
          expect(y).toBeLessThanOrEqual(112.5 + 1e-6);
          if (i > 0) expect(y - (sorted[i - 1]?.y ?? 0)).toBeGreaterThanOrEqual(15 - 1e-6);
        });
      }),
    );
  });

  it('does not move labels that fit', () => {
    const wanted = [
      { id: 'a', y: 20, above: false },
      { id: 'b', y: 90, above: true },
    ];
    expect(placeLabels(wanted, 120)).toEqual(wanted);
  });
});

describe('the values of a chart', () => {
  const at = [10, 20, 30, 40];

  it('at one moment are described in words, or as missing', () => {
    const chart = { at, series: [line([1, null, 3, 4]), { ...limit(9), values: [9, null, 9, 9] }] };
    expect(toReading(chart, 2, words)).toBe('at 30: 3 players, 9 limit');
    expect(toReading(chart, 1, words)).toBe('at 20: no data');
  });

  it('are summarized in words', () => {
    const chart = { at, series: [line([5, null, 2, 4]), { ...limit(9), values: [9, null, 9, 9] }] };
    expect(toSummary(chart, words)).toBe(
      'Players: 4 at last, at least 2 at at 30, at most 5 at at 10. Limit is 9. 1 of 4 steps have no data.',
    );
    expect(toSummary({ at, series: [line([null, null, null, null])] }, words)).toBe('No data yet.');
  });

  it('are searched for single values between gaps, and for the newest known value', () => {
    expect(lonelyIndices([1, null, 2, 3, null, 4])).toEqual([0, 5]);
    expect(lonelyIndices([null])).toEqual([]);
    expect(lastKnown({ values: [1, 2, null] })).toBe(1);
    expect(lastKnown({ values: [null] })).toBeNull();
  });
});

describe('readChartKey (handles keys in a chart)', () => {
  it.each([
    ['ArrowLeft', null, 59],
    ['ArrowLeft', 0, 0],
    ['ArrowRight', 60, 60],
    ['PageUp', 30, 20],
    ['PageDown', 55, 60],
    ['Home', 30, 0],
    ['End', 30, 60],
    ['Escape', 30, null],
    ['Escape', null, undefined],
    ['a', 30, undefined],
  ])('moves the cursor with %s from %s to %s', (key, from, to) => {
    expect(readChartKey(key, from, 61)).toBe(to);
  });

  it('does not move the cursor if there are no values', () => {
    expect(readChartKey('Home', null, 0)).toBeUndefined();
  });
});
