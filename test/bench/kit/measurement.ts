/** One line of the result: a metric of docs/measuring.md with its baseline of the same run. */
export interface Measurement {
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  /** In the same unit. Null if there is nothing to compare with. */
  readonly baseline: number | null;
  /** Number of measured runs without warm-ups. */
  readonly n: number;
  /** What exactly was measured and compared, and further remarks. */
  readonly note: string;
  /** Null if there is no goal. */
  readonly goal: Goal | null;
}

/** The goal of a metric: a limit for the value or for its ratio to the baseline. */
export interface Goal {
  readonly of: 'value' | 'ratio';
  readonly atMost: number;
}

/** A metric that was not measured, and why. */
export interface Skipped {
  readonly metric: string;
  readonly skipped: string;
}

export type Outcome = Measurement | Skipped;

export function isMeasured(outcome: Outcome): outcome is Measurement {
  return !('skipped' in outcome);
}

/** Returns `value / baseline`; below 1 is better than the baseline. Null without a baseline. */
export function ratioOf({ value, baseline }: Pick<Measurement, 'value' | 'baseline'>): number | null {
  return baseline === null ? null : value / baseline;
}

/** Returns a figure for display: three significant digits, no decimals from 100 on. */
export function asShown(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/**
 * Returns whether the displayed figure reaches the goal. Compares displayed figures, because nobody could
 * understand that 16.7 misses 16.7. Without a ratio or without a goal it is false.
 */
export function reachesGoal(measurement: Measurement): boolean {
  const { goal } = measurement;
  if (goal === null) return false;
  const reached = goal.of === 'value' ? measurement.value : ratioOf(measurement);
  return reached !== null && Number(asShown(reached)) <= goal.atMost;
}
