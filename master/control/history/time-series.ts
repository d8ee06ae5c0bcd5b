import type { History, HistoryRange } from '#shared/model/history.ts';

/** State of the network at one moment. RAM in MB (2^20 bytes), cost in EUR per hour without VAT. */
export interface Sample {
  readonly players: number;
  readonly playerLimit: number;
  readonly servicesUp: number;
  readonly services: number;
  readonly ramAllocatedMb: number;
  readonly ramTotalMb: number;
  readonly costPerHour: number;
}

/** Sums of all samples within one step of a chart. Sums keep the mean exact for any number of samples. */
export interface Step {
  /** Start of the step (ms since epoch); a multiple of the step's length. */
  readonly at: number;
  /** Number of samples; at least 1. */
  readonly samples: number;
  readonly sums: Sample;
  readonly playersPeak: number;
}

/**
 * How a range is divided into steps: the length of a step, the number of steps that a chart shows in addition to the
 * current one, and the number of steps that are stored.
 */
export interface Resolution {
  readonly range: HistoryRange;
  readonly stepMs: number;
  readonly published: number;
  readonly kept: number;
}

const MINUTE_MS = 60_000;

/**
 * Resolutions with steps of 1 minute, 5 minutes and 1 hour. Slightly more steps are stored than shown; of the
 * 1-minute steps, two hours are stored.
 */
export const RESOLUTIONS: readonly Resolution[] = [
  { range: '1h', stepMs: MINUTE_MS, published: 60, kept: 120 },
  { range: '24h', stepMs: 5 * MINUTE_MS, published: 288, kept: 300 },
  { range: '7d', stepMs: 60 * MINUTE_MS, published: 168, kept: 180 },
];

/** Steps of each range, oldest first, at most {@link Resolution.kept}. Steps without a sample are left out. */
export type TimeSeries = Readonly<Record<HistoryRange, readonly Step[]>>;

/**
 * Returns a series with the steps of each range.
 *
 * @param stepsOf called once for each range; returns its steps, oldest first
 */
export function toTimeSeries(stepsOf: (resolution: Resolution) => readonly Step[]): TimeSeries {
  const of = (range: HistoryRange): readonly Step[] => stepsOf(resolutionOf(range));
  return { '1h': of('1h'), '24h': of('24h'), '7d': of('7d') };
}

export const EMPTY_TIME_SERIES: TimeSeries = { '1h': [], '24h': [], '7d': [] };

/**
 * Earliest time that a correct clock can show. Samples with an earlier time are ignored: a machine without a
 * real-time clock starts in 1970, which must not delete its history.
 */
const EARLIEST_MS = Date.UTC(2025, 0, 1);

/**
 * Returns the start of the step that contains a time (ms since epoch).
 *
 * Example: 18:03:20 with steps of 5 minutes → 18:00.
 */
export function stepOf(at: number, stepMs: number): number {
  return at - (at % stepMs);
}

/**
 * Returns the series with a sample added to the current step of each range. Returns it unchanged if the clock shows a
 * time before 2025.
 *
 * If the clock was set back, steps that now lie in the future are removed. The removed history is at most as long as
 * the time by which the clock was set back. If the clock was set forward, a gap remains. Old steps are dropped only
 * if there are more than {@link Resolution.kept} steps; their age does not matter. Otherwise, a clock that runs ahead
 * for a moment would delete the history.
 *
 * @param now ms since epoch
 */
export function addSample(series: TimeSeries, sample: Sample, now: number): TimeSeries {
  if (!Number.isFinite(now) || now < EARLIEST_MS) return series;
  return toTimeSeries((resolution) => addToSteps(series[resolution.range], sample, { resolution, now }));
}

function addToSteps(
  steps: readonly Step[],
  sample: Sample,
  { resolution, now }: { readonly resolution: Resolution; readonly now: number },
): readonly Step[] {
  const at = stepOf(now, resolution.stepMs);
  const past = steps.at(-1)?.at === at ? steps : steps.filter((step) => step.at <= at);
  const last = past.at(-1);
  if (last?.at === at) return [...past.slice(0, -1), withSample(last, sample)];
  const begun: Step = { at, samples: 1, sums: sample, playersPeak: sample.players };
  return [...past, begun].slice(-resolution.kept);
}

function withSample({ at, samples, sums, playersPeak }: Step, sample: Sample): Step {
  return {
    at,
    samples: samples + 1,
    sums: {
      players: sums.players + sample.players,
      playerLimit: sums.playerLimit + sample.playerLimit,
      servicesUp: sums.servicesUp + sample.servicesUp,
      services: sums.services + sample.services,
      ramAllocatedMb: sums.ramAllocatedMb + sample.ramAllocatedMb,
      ramTotalMb: sums.ramTotalMb + sample.ramTotalMb,
      costPerHour: sums.costPerHour + sample.costPerHour,
    },
    playersPeak: Math.max(playersPeak, sample.players),
  };
}

/**
 * Returns a range in the form that charts draw: steps of equal length. The last step contains `now` (ms since epoch).
 * Each step has the means of its samples, or `null` if it has no samples.
 *
 * Example: at 18:00:30 the range `1h` has 61 steps, from 17:00 to 18:00.
 */
export function toHistory(series: TimeSeries, range: HistoryRange, now: number): History {
  const { stepMs, published } = resolutionOf(range);
  const byTime = new Map(series[range].map((step) => [step.at, step]));
  const last = stepOf(now, stepMs);
  const at = Array.from({ length: published + 1 }, (_, i) => last - (published - i) * stepMs);
  const steps = at.map((time) => byTime.get(time));
  const means = (key: keyof Sample): (number | null)[] =>
    steps.map((step) => (step === undefined ? null : step.sums[key] / step.samples));
  return {
    range,
    stepMs,
    at,
    players: means('players'),
    playersPeak: steps.map((step) => step?.playersPeak ?? null),
    playerLimit: means('playerLimit'),
    servicesUp: means('servicesUp'),
    services: means('services'),
    ramAllocatedMb: means('ramAllocatedMb'),
    ramTotalMb: means('ramTotalMb'),
    costPerHour: means('costPerHour'),
  };
}

/** Returns the length and the number of the steps of a range. */
export function resolutionOf(range: HistoryRange): Resolution {
  const resolution = RESOLUTIONS.find((one) => one.range === range);
  if (resolution === undefined) throw new RangeError(`no steps for ${range}`);
  return resolution;
}
