/** One line of the result: a metric of docs/measuring.md, beside what it was compared with in the same run. */
export interface Measurement {
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  /** In the same unit; null where there is nothing to compare with. */
  readonly baseline: number | null;
  /** Measured runs behind the value; what only warmed up is not counted. */
  readonly n: number;
  /** What exactly was measured beside what, and what else a reader must know. */
  readonly note: string;
  /** Null where none was promised. */
  readonly goal: Goal | null;
}

/** What the metric is to reach: the value itself, or its ratio to the baseline. */
export interface Goal {
  readonly of: 'value' | 'ratio';
  readonly atMost: number;
}

/** A metric that was not measured, and why: never a made-up number. */
export interface Skipped {
  readonly metric: string;
  readonly skipped: string;
}

export type Outcome = Measurement | Skipped;

export function isMeasured(outcome: Outcome): outcome is Measurement {
  return !('skipped' in outcome);
}

/** `value / baseline`: below 1 is better than the baseline. Null without one. */
export function ratioOf({ value, baseline }: Pick<Measurement, 'value' | 'baseline'>): number | null {
  return baseline === null ? null : value / baseline;
}

/** A figure as it is shown: three significant digits, none after the point from 100 on. More would only be noise. */
export function asShown(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/**
 * True when the goal is reached, by the figure that is shown: a frame of a 60 Hz screen takes 16.67 ms and what its
 * clock adds, and nobody could read that 16.7 misses 16.7. A ratio that cannot be formed reaches none,
 * and nothing is reached where there is no goal.
 */
export function reachesGoal(measurement: Measurement): boolean {
  const { goal } = measurement;
  if (goal === null) return false;
  const reached = goal.of === 'value' ? measurement.value : ratioOf(measurement);
  return reached !== null && Number(asShown(reached)) <= goal.atMost;
}
