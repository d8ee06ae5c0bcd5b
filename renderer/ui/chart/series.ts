/** How a series is drawn. `limit` is a dashed line for comparison, which may lie above the visible range. */
export type SeriesKind = 'area' | 'line' | 'limit';

/** One line of a chart: a value for each moment. Null: unknown, drawn as a gap. */
export interface ChartSeries {
  readonly id: string;
  /** Label at the end of the line. Descriptions put it after a value: `37 players`. Keep it short. */
  readonly label: string;
  readonly kind: SeriesKind;
  readonly tone: 'accent' | 'second' | 'muted' | 'warn';
  readonly values: readonly (number | null)[];
}

/**
 * Fraction of a limit that the values must reach before the visible range includes the limit. A limit far above the
 * values would flatten all other lines.
 */
const NEAR = 0.25;

/** Values below this number count as 0, because no mark on the axis could show them. */
const LEAST = 1e-6;

/**
 * Returns the upper end of the value axis and its marks, including 0. The axis includes a limit only if the highest
 * value is at least a quarter of the limit. Otherwise, the limit would flatten the other lines.
 *
 * Example: with whole numbers, at most 37 players and limit 100 → `{ top: 100, marks: [0, 50, 100] }`; at most 7
 * players and limit 100 → `{ top: 9, marks: [0, 3, 6, 9] }`.
 *
 * @param whole whether values are counts, so that no mark lies between whole numbers
 */
export function toScale(
  series: readonly ChartSeries[],
  whole: boolean,
): { readonly top: number; readonly marks: readonly number[] } {
  const measured = highest(series.filter(({ kind }) => kind !== 'limit'));
  const limits = series.filter(({ kind }) => kind === 'limit').map((one) => highest([one]));
  const near = limits.filter((limit) => measured >= limit * NEAR);
  const most = Math.max(measured, ...near);
  if (most < LEAST) return { top: 1, marks: [0, 1] };
  const step = niceStep(most / 3, whole);
  const count = Math.ceil(most / step - 1e-9);
  return { top: count * step, marks: Array.from({ length: count + 1 }, (_, i) => i * step) };
}

function highest(series: readonly ChartSeries[]): number {
  let most = 0;
  for (const { values } of series)
    for (const value of values) if (value !== null && value > most) most = value;
  return most;
}

/**
 * Returns the smallest step that is at least the given one and is 1, 2, 2.5, 5 or 10 times a power of ten. With
 * `whole`, rounds the step up to a whole number.
 */
function niceStep(atLeast: number, whole: boolean): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  const step =
    [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= atLeast - power * 1e-9) ?? power * 10;
  return whole ? Math.max(1, Math.ceil(step)) : step;
}

/**
 * Returns the indices of known values without a known neighbour. No line leads to such a value, so it is drawn as a
 * point.
 */
export function lonelyIndices(values: readonly (number | null | undefined)[]): number[] {
  const isKnown = (i: number): boolean => typeof values[i] === 'number';
  return values.flatMap((_, i) => (isKnown(i) && !isKnown(i - 1) && !isKnown(i + 1) ? [i] : []));
}

/** Returns the index of the newest known value of a series. Null if there is none. */
export function lastKnown({ values }: Pick<ChartSeries, 'values'>): number | null {
  const index = values.findLastIndex((value) => value !== null);
  return index === -1 ? null : index;
}

/** Formatters for values and times. */
export interface ChartWords {
  readonly format: (value: number) => string;
  readonly formatAt: (atMs: number) => string;
}

/** Describes one moment of the chart: `18:04: 37 players, 100 limit`. */
export function toReading(
  chart: { readonly at: readonly number[]; readonly series: readonly ChartSeries[] },
  index: number,
  { format, formatAt }: ChartWords,
): string {
  const when = formatAt(chart.at[index] ?? 0);
  const known = chart.series.flatMap(({ label, values }) => {
    const value = values[index] ?? null;
    return value === null ? [] : [`${format(value)} ${label}`];
  });
  return `${when}: ${known.length === 0 ? 'no data' : known.join(', ')}`;
}

/**
 * Describes the whole chart for screen readers: one sentence for each series with data, and one sentence about steps
 * without data.
 */
export function toSummary(
  chart: { readonly at: readonly number[]; readonly series: readonly ChartSeries[] },
  { format, formatAt }: ChartWords,
): string {
  const sentences = chart.series.flatMap(({ label, kind, values }) => {
    const known = values.flatMap((value, i) => (value === null ? [] : [{ value, at: chart.at[i] ?? 0 }]));
    const now = known.at(-1);
    if (now === undefined) return [];
    if (kind === 'limit') return [`${capital(label)} is ${format(now.value)}.`];
    const least = known.reduce((a, b) => (b.value < a.value ? b : a));
    const most = known.reduce((a, b) => (b.value > a.value ? b : a));
    return [
      `${capital(label)}: ${format(now.value)} at last, at least ${format(least.value)} at ${formatAt(least.at)}, ` +
        `at most ${format(most.value)} at ${formatAt(most.at)}.`,
    ];
  });
  const gaps = chart.at.filter((_, i) => chart.series.every(({ values }) => values[i] === null)).length;
  if (sentences.length === 0) return 'No data yet.';
  return gaps === 0
    ? sentences.join(' ')
    : `${sentences.join(' ')} ${gaps} of ${chart.at.length} steps have no data.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
