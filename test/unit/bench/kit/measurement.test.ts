import { describe, expect, it } from 'vitest';
import { reachesGoal, type Measurement } from '#test/bench/kit/measurement.ts';
import { toTable } from '#test/bench/kit/report.ts';

function measured(rest: Partial<Measurement>): Measurement {
  const goal = { of: 'value', atMost: 16.7 } as const;
  return { metric: 'm', value: 1, unit: 'ms', baseline: null, n: 5, note: '', goal, ...rest };
}

const ratio = { of: 'ratio', atMost: 1.5 } as const;

describe('a row that compares a measurement with its goal', () => {
  it.each([
    ['a value well below the goal', measured({ value: 4 }), true],
    ['16.74 ms, which is rounded to the goal of 16.7 ms', measured({ value: 16.74 }), true],
    ['a value that is rounded to more than the goal', measured({ value: 16.76 }), false],
    ['a ratio that is rounded to the goal', measured({ value: 1.504, baseline: 1, goal: ratio }), true],
    [
      'a ratio that is rounded to more than the goal',
      measured({ value: 1.506, baseline: 1, goal: ratio }),
      false,
    ],
    ['a ratio without a baseline', measured({ value: 0.1, goal: ratio }), false],
    [
      '200.4, which is rounded to the goal of 200',
      measured({ value: 200.4, goal: { of: 'value', atMost: 200 } }),
      true,
    ],
    [
      '200.6, which is rounded to more than the goal of 200',
      measured({ value: 200.6, goal: { of: 'value', atMost: 200 } }),
      false,
    ],
  ])('shows whether the goal was reached: %s', (_what, measurement, want) => {
    expect(reachesGoal(measurement)).toBe(want);
    expect(toTable([measurement])).toContain(want ? 'reached' : 'missed');
  });

  it('shows a dash if the measurement has no goal', () => {
    const [, row = ''] = toTable([measured({ goal: null })]).split('\n');
    expect(row.trim().split(/ {2,}/)).toEqual(['m', '1.00', 'ms', '–', '–', '5', '–']);
  });
});
