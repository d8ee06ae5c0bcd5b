import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { historyRanges } from '#shared/model/history.ts';
import {
  addSample,
  EMPTY_TIME_SERIES,
  resolutionOf,
  RESOLUTIONS,
  stepOf,
  toHistory,
  type TimeSeries,
  type Sample,
} from '#master/control/history/time-series.ts';
import { fromText, MAX_TIME_SERIES_BYTES, toText } from '#master/control/history/time-series-text.ts';

const NOON = Date.UTC(2026, 2, 1, 12);

function aSample(fields: Partial<Sample> = {}): Sample {
  return {
    players: 0,
    playerLimit: 100,
    servicesUp: 1,
    services: 2,
    ramAllocatedMb: 1399,
    ramTotalMb: 8192,
    costPerHour: 0,
    ...fields,
  };
}

interface Seen {
  readonly at: number;
  readonly players: number;
}

function record(all: readonly Seen[], before: TimeSeries = EMPTY_TIME_SERIES): TimeSeries {
  return all.reduce((series, { at, players }) => addSample(series, aSample({ players }), at), before);
}

/** Samples of a clock that only moves forward, with pauses from 1 ms to 2.5 hours. */
const forward = fc
  .array(
    fc.record({
      pause: fc.oneof(fc.integer({ min: 1, max: 30_000 }), fc.integer({ min: 1, max: 9_000_000 })),
      players: fc.nat({ max: 500 }),
    }),
    { minLength: 1, maxLength: 300 },
  )
  .map((steps) => {
    let at = NOON;
    return steps.map(({ pause, players }): Seen => ({ at: (at += pause), players }));
  });

describe('the recorded history of the network', () => {
  it('contains the mean and peak of the samples in each step, and null for a step without samples', () => {
    fc.assert(
      fc.property(forward, (all) => {
        const series = record(all);
        const now = all.at(-1)?.at ?? NOON;
        for (const { range, stepMs, published } of RESOLUTIONS) {
          const history = toHistory(series, range, now);
          expect(history.at).toHaveLength(published + 1);
          expect(history.at.at(-1)).toBe(stepOf(now, stepMs));
          history.at.forEach((begin, i) => {
            if (i > 0) expect(begin - (history.at[i - 1] ?? 0)).toBe(stepMs);
            const within = all.filter(({ at }) => at >= begin && at < begin + stepMs);
            if (within.length === 0) {
              expect(history.players[i]).toBeNull();
              expect(history.playersPeak[i]).toBeNull();
              return;
            }
            const sum = within.reduce((total, { players }) => total + players, 0);
            expect(history.players[i]).toBeCloseTo(sum / within.length, 9);
            expect(history.playersPeak[i]).toBe(Math.max(...within.map(({ players }) => players)));
            expect(history.playerLimit[i]).toBe(100);
          });
        }
      }),
      { numRuns: 60 },
    );
  });

  it('has a limited size and stays in order, even if the clock jumps', () => {
    const wild = fc.array(
      fc.record({
        at: fc.oneof(
          fc.integer({ min: NOON - 90_000_000, max: NOON + 90_000_000 }),
          fc.integer({ min: -8_640_000_000_000, max: 8_640_000_000_000 }),
        ),
        players: fc.nat(),
      }),
      { maxLength: 400 },
    );
    fc.assert(
      fc.property(wild, (all) => {
        const series = record(all);
        for (const { range, kept, stepMs } of RESOLUTIONS) {
          const begins = series[range].map(({ at }) => at);
          expect(begins.length).toBeLessThanOrEqual(kept);
          expect(begins).toEqual([...new Set(begins)].sort((a, b) => a - b));
          expect(begins.every((at) => at % stepMs === 0)).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('loses only the steps after the new time if the clock is set back', () => {
    fc.assert(
      fc.property(forward, fc.integer({ min: 1, max: 20_000_000 }), (all, backMs) => {
        const now = all.at(-1)?.at ?? NOON;
        const then = now - backMs;
        const series = record([{ at: then, players: 1 }], record(all));
        for (const { range, stepMs } of RESOLUTIONS) {
          const kept = series[range].filter(({ at }) => at < stepOf(then, stepMs));
          const before = record(all)[range].filter(({ at }) => at < stepOf(then, stepMs));
          expect(kept).toEqual(before.slice(-kept.length || undefined));
          expect(series[range].at(-1)?.at).toBe(stepOf(then, stepMs));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('continues if the clock was wrong by years for a short time', () => {
    const before = record([{ at: NOON, players: 7 }]);
    const ahead = record([{ at: NOON + 5 * 31_536_000_000, players: 9 }], before);
    const back = record([{ at: NOON + 60_000, players: 8 }], ahead);
    expect(toHistory(back, '1h', NOON + 60_000).players.slice(-2)).toEqual([7, 8]);
    expect(record([{ at: 5_000, players: 1 }], before)).toBe(before);
    expect(record([{ at: Number.NaN, players: 1 }], before)).toBe(before);
  });

  it('contains 60 steps of 1 min, 288 steps of 5 min or 168 steps of 1 h, and also the current step', () => {
    const lengths = historyRanges.map((range) => toHistory(EMPTY_TIME_SERIES, range, NOON).at.length);
    expect(lengths).toEqual([61, 289, 169]);
    expect(historyRanges.map((range) => resolutionOf(range).stepMs)).toEqual([60_000, 300_000, 3_600_000]);
    expect(resolutionOf('1h').kept * resolutionOf('1h').stepMs).toBe(7_200_000);
  });
});

describe('the history of the network in its file', () => {
  it('is read with the values that were written', () => {
    fc.assert(
      fc.property(forward, (all) => {
        const series = record(all);
        expect(fromText(toText(series))).toEqual({ series, faulty: 0 });
      }),
      { numRuns: 40 },
    );
  });

  it('never exceeds its maximum size', () => {
    let series = EMPTY_TIME_SERIES;
    const most = aSample({
      players: 99_999.123456789,
      playerLimit: 1_000_000,
      services: 99_999,
      servicesUp: 99_999,
      ramAllocatedMb: 9_999_999,
      ramTotalMb: 9_999_999,
      costPerHour: 1234.123456789,
    });
    for (let hour = 0; hour < 190; hour++) series = addSample(series, most, NOON + hour * 3_600_000);
    for (let i = 0; i < 2_000; i++) series = addSample(series, most, NOON + 684_000_000 + i * 60_000);
    expect(RESOLUTIONS.map(({ range, kept }) => series[range].length - kept)).toEqual([0, 0, 0]);
    expect(toText(series).length).toBeLessThan(MAX_TIME_SERIES_BYTES / 5);
  });

  it('loses only the truncated or corrupt lines of a damaged file', () => {
    const all = Array.from({ length: 90 }, (_, i): Seen => ({ at: NOON + i * 60_000, players: i }));
    const series = record(all);
    const text = toText(series);
    fc.assert(
      fc.property(fc.nat({ max: text.length - 1 }), fc.string({ maxLength: 20 }), (cut, junk) => {
        const torn = fromText(text.slice(0, cut));
        const whole = text.slice(0, cut).split('\n').length - 1;
        const steps = RESOLUTIONS.reduce((sum, { range }) => sum + torn.series[range].length, 0);
        expect(steps - whole).toBeGreaterThanOrEqual(0);
        expect(steps - whole).toBeLessThanOrEqual(1);
        const spoilt = fromText(`${text.slice(0, cut)}${junk}${text.slice(cut)}`);
        const left = RESOLUTIONS.reduce((sum, { range }) => sum + spoilt.series[range].length, 0);
        const had = RESOLUTIONS.reduce((sum, { range }) => sum + series[range].length, 0);
        expect(had - left).toBeLessThanOrEqual(1);
      }),
    );
    expect(fromText('\0\0\0\nnull\n[]\n{"a":1}\n["1h",1,1,[0,0,0,0,0,0,0],0]\n')).toEqual({
      series: EMPTY_TIME_SERIES,
      faulty: 5,
    });
  });
});
