/** One line of the result: a metric of docs/measuring.md with its value and its baseline from this run. */
export interface Measurement {
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  /** Value of the baseline, in the unit of `value`. Null if there is nothing to compare with. */
  readonly baseline: number | null;
  /** Number of measured runs, without warm-ups. */
  readonly n: number;
  /** Describes exactly what was measured and compared, with further remarks. */
  readonly note: string;
  /** Goal of the metric. Null if it has none. */
  readonly goal: Goal | null;
}

/** The goal of a metric: a limit for the value or for its ratio to the baseline. */
export interface Goal {
  readonly of: 'value' | 'ratio';
  readonly atMost: number;
}

/** A metric that was not measured, with the reason. */
export interface Skipped {
  readonly metric: string;
  readonly skipped: string;
}

export type Outcome = Measurement | Skipped;

export function isMeasured(outcome: Outcome): outcome is Measurement {
  return !('skipped' in outcome);
}

/** Returns `value / baseline`, or null without a baseline. A ratio below 1 is better than the baseline. */
export function ratioOf({ value, baseline }: Pick<Measurement, 'value' | 'baseline'>): number | null {
  return baseline === null ? null : value / baseline;
}

/** Returns a figure as it is displayed: with three significant digits, and without decimals from 100 on. */
export function asShown(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/**
 * Returns whether the displayed figure reaches the goal. Displayed figures are compared because a reader could not
 * understand why 16.7 misses a goal of 16.7. Returns false without a ratio or a goal.
 */
export function reachesGoal(measurement: Measurement): boolean {
  const { goal } = measurement;
  if (goal === null) return false;
  const reached = goal.of === 'value' ? measurement.value : ratioOf(measurement);
  return reached !== null && Number(asShown(reached)) <= goal.atMost;
}
