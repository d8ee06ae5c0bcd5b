import { z } from 'zod';
import { historyRangeSchema, type HistoryRange } from '#shared/model/history.ts';
import {
  RESOLUTIONS,
  resolutionOf,
  stepOf,
  toTimeSeries,
  type TimeSeries,
  type Step,
} from './time-series.ts';

/**
 * Maximum size of a series file (bytes); a larger file is not read. A valid file has at most 600 steps of 170
 * bytes, which is 100 KB.
 */
export const MAX_TIME_SERIES_BYTES = 1_048_576;

const amount = z.number().min(0);

/**
 * One line of the file, which is one step of a chart. Its values are: the time span of the chart (such as `24h`), the
 * start of the step, and the number of samples; then the sums of the samples in the order of the fields of `Sample`,
 * and the highest number of players.
 */
const lineSchema = z.tuple([
  historyRangeSchema,
  z.int().min(0),
  z.int().min(1),
  z.tuple([amount, amount, amount, amount, amount, amount, amount]),
  amount,
]);

/**
 * Returns the history of metrics as text with one step per line, so that a corrupt line affects only its own step.
 */
export function toText(series: TimeSeries): string {
  return RESOLUTIONS.flatMap(({ range }) => series[range].map((step) => `${toLine(range, step)}\n`)).join('');
}

function toLine(range: HistoryRange, { at, samples, sums, playersPeak }: Step): string {
  const { players, playerLimit, servicesUp, services, ramAllocatedMb, ramTotalMb, costPerHour } = sums;
  const all = [players, playerLimit, servicesUp, services, ramAllocatedMb, ramTotalMb, toShort(costPerHour)];
  return JSON.stringify([range, at, samples, all, playersPeak]);
}

/** Rounds to a millionth of a cent, because sums of prices contain rounding errors such as 0.30000000000000004. */
function toShort(eur: number): number {
  return Math.round(eur * 1e8) / 1e8;
}

/**
 * Parses the output of {@link toText}. Skips incomplete, invalid and duplicate lines; `faulty` is their number. Keeps
 * the newest {@link Level.kept} steps of each range.
 */
export function fromText(text: string): { readonly series: TimeSeries; readonly faulty: number } {
  const found = new Map(RESOLUTIONS.map(({ range }) => [range, new Map<number, Step>()]));
  let faulty = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const read = toStep(line);
    const steps = read === null ? undefined : found.get(read.range);
    if (read === null || steps === undefined || steps.has(read.step.at)) faulty += 1;
    else steps.set(read.step.at, read.step);
  }
  const series = toTimeSeries(({ range, kept }) => {
    const steps = [...(found.get(range)?.values() ?? [])].sort((a, b) => a.at - b.at);
    return steps.slice(-kept);
  });
  return { series, faulty };
}

function toStep(line: string): { readonly range: HistoryRange; readonly step: Step } | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) return null;
  const [range, at, samples, sums, playersPeak] = parsed.data;
  if (stepOf(at, resolutionOf(range).stepMs) !== at) return null;
  const [players, playerLimit, servicesUp, services, ramAllocatedMb, ramTotalMb, costPerHour] = sums;
  return {
    range,
    step: {
      at,
      samples,
      sums: { players, playerLimit, servicesUp, services, ramAllocatedMb, ramTotalMb, costPerHour },
      playersPeak,
    },
  };
}
