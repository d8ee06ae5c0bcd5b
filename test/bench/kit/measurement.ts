/** One line of the result: a metric of docs/measuring.md with its value and its baseline from this run. */
export interface Measurement {
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  /** Value of the baseline, in the unit of `value`. Null if there is nothing to compare with. */
  readonly baseline: number | null;
  /** Number of measured runs, without warm-ups. */
  readonly n: number;
  /** Describes exactly what was measured and compared. May contain further remarks. */
  readonly note: string;
  /** Goal of the metric. Null if it has none. */
  readonly goal: Goal | null;
}

/** Goal of a metric: a limit for the value, or for the ratio of the value to the baseline. */
export interface Goal {
  readonly of: 'value' | 'ratio';
  readonly atMost: number;
}

/** Metric that was not measured, with the reason. */
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

/** Formats a figure for display: with three significant digits, and without decimals if it is 100 or more. */
export function asShown(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/**
 * Returns whether the displayed figure reaches the goal. Compares the displayed figure, because a reader would not
 * understand why 16.7 misses a goal of 16.7. Returns false if the goal or the ratio is missing.
 */
export function reachesGoal(measurement: Measurement): boolean {
  const { goal } = measurement;
  if (goal === null) return false;
  const reached = goal.of === 'value' ? measurement.value : ratioOf(measurement);
  return reached !== null && Number(asShown(reached)) <= goal.atMost;
}
