import { describe, expect, it } from 'vitest';
import { reachesGoal, type Measurement } from '#test/bench/kit/measurement.ts';
import { toTable } from '#test/bench/kit/report.ts';

function measured(rest: Partial<Measurement>): Measurement {
  const goal = { of: 'value', atMost: 16.7 } as const;
  return { metric: 'm', value: 1, unit: 'ms', baseline: null, n: 5, note: '', goal, ...rest };
}

const ratio = { of: 'ratio', atMost: 1.5 } as const;

describe('a goal', () => {
  it.each([
    ['well below', measured({ value: 4 }), true],
    ['the frame of a 60 Hz screen, to the clock’s hundredths', measured({ value: 16.74 }), true],
    ['what is shown as more', measured({ value: 16.76 }), false],
    ['a ratio that is shown as the goal', measured({ value: 1.504, baseline: 1, goal: ratio }), true],
    ['a ratio that is shown as more', measured({ value: 1.506, baseline: 1, goal: ratio }), false],
    ['a ratio without a baseline', measured({ value: 0.1, goal: ratio }), false],
    ['hundreds, shown without a point', measured({ value: 200.4, goal: { of: 'value', atMost: 200 } }), true],
    ['hundreds and one', measured({ value: 200.6, goal: { of: 'value', atMost: 200 } }), false],
  ])('%s', (_what, measurement, want) => {
    expect(reachesGoal(measurement)).toBe(want);
    expect(toTable([measurement])).toContain(want ? 'reached' : 'missed');
  });

  it('is not shown as missed if there is none', () => {
    const [, row = ''] = toTable([measured({ goal: null })]).split('\n');
    expect(row.trim().split(/ {2,}/)).toEqual(['m', '1.00', 'ms', '–', '–', '5', '–']);
  });
});
