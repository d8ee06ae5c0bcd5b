import type { History, HistoryRange } from '#shared/model/history.ts';
import type { ChartSeries } from '../ui/chart/series.ts';
import { toMoney } from './format/money.ts';
import { toCount } from './format/numbers.ts';

/** A chart of the Overview screen. */
export interface HistoryChart {
  readonly id: 'players' | 'services' | 'ram' | 'cost';
  readonly title: string;
  readonly series: readonly ChartSeries[];
  /**
   * Current value of the first series. It is shown instead of the newest step, which is only an incomplete mean.
   * Undefined if the current value is unknown.
   */
  readonly now?: number | undefined;
  readonly whole: boolean;
  readonly format: (value: number) => string;
  readonly formatTick: (value: number) => string;
}

/** Current values, which the figures above the charts also show. */
export interface HistoryNow {
  readonly players: number;
  readonly servicesUp: number;
  readonly services: number;
  readonly ramAllocatedMb: number;
  readonly ramTotalMb: number;
  readonly costPerHour?: number | undefined;
}

/** Time ranges in words. They follow "the last". */
export const rangeWords: Record<HistoryRange, string> = { '1h': 'hour', '24h': '24 hours', '7d': '7 days' };

/**
 * Returns the charts of a history in display order. The cost chart is included only if there are costs.
 *
 * @param upscalingPercent `provider.upscaling_at_percent_capacity`; null while it is unknown
 * @param now current values; they are the ends of the lines, and are shown until a person points at a chart; if
 * absent, the charts show only means
 */
export function toCharts(
  history: History,
  upscalingPercent: number | null,
  now?: HistoryNow,
): readonly HistoryChart[] {
  const charts: HistoryChart[] = [
    {
      id: 'players',
      title: 'Players',
      series: [
        {
          id: 'players',
          label: 'players',
          kind: 'area',
          tone: 'accent',
          values: endingNow(history.players, now?.players),
        },
        { id: 'limit', label: 'limit', kind: 'limit', tone: 'warn', values: history.playerLimit },
      ],
      now: now?.players,
      whole: true,
      format: toAmount,
      formatTick: toShort,
    },
    {
      id: 'services',
      title: 'Services',
      series: [
        {
          id: 'up',
          label: 'up',
          kind: 'area',
          tone: 'accent',
          values: endingNow(history.servicesUp, now?.servicesUp),
        },
        {
          id: 'all',
          label: 'all',
          kind: 'line',
          tone: 'second',
          values: endingNow(history.services, now?.services),
        },
      ],
      now: now?.servicesUp,
      whole: true,
      format: toAmount,
      formatTick: toShort,
    },
    ramChart(history, upscalingPercent, now),
  ];
  return history.costPerHour.some((cost) => cost !== null && cost > 0)
    ? [...charts, costChart(history, now?.costPerHour)]
    : charts;
}

/** Returns the RAM chart. All of its values are in GB, or all in TB for large networks. */
function ramChart(
  { ramAllocatedMb, ramTotalMb }: History,
  upscalingPercent: number | null,
  now: HistoryNow | undefined,
): HistoryChart {
  const most = Math.max(0, ...ramTotalMb.map((mb) => mb ?? 0));
  const unit = most < 1_048_576 ? { name: 'GB', mb: 1024 } : { name: 'TB', mb: 1_048_576 };
  const inUnit = (values: readonly (number | null)[]): (number | null)[] =>
    values.map((mb) => scaled(mb, 1 / unit.mb));
  const allocated = inUnit(endingNow(ramAllocatedMb, now?.ramAllocatedMb));
  const total = inUnit(endingNow(ramTotalMb, now?.ramTotalMb));
  const format = (value: number): string => `${toTenths(value)} ${unit.name}`;
  return {
    id: 'ram',
    title: 'RAM',
    series: [
      { id: 'allocated', label: 'allocated', kind: 'area', tone: 'accent', values: allocated },
      { id: 'total', label: 'total', kind: 'line', tone: 'muted', values: total },
      ...(upscalingPercent === null ? [] : [upscalingLine(total, upscalingPercent)]),
    ],
    now: now === undefined ? undefined : now.ramAllocatedMb / unit.mb,
    whole: false,
    format,
    formatTick: format,
  };
}

/**
 * Returns the line of the threshold at which a node is ordered (`upscaling_at_percent_capacity`,
 * docs/specification.md#provider).
 */
function upscalingLine(total: readonly (number | null)[], percent: number): ChartSeries {
  const values = total.map((gb) => scaled(gb, percent / 100));
  return { id: 'upscaling', label: `order at`, kind: 'limit', tone: 'warn', values };
}

function costChart({ costPerHour }: History, now: number | undefined): HistoryChart {
  return {
    id: 'cost',
    title: 'Cost per hour',
    series: [
      { id: 'cost', label: 'per hour', kind: 'area', tone: 'accent', values: endingNow(costPerHour, now) },
    ],
    now,
    whole: false,
    format: toMoney,
    formatTick: (value) => `€${toThousandths(value)}`,
  };
}

/**
 * Replaces the newest value with the current one. The line then ends at the value in the figures above the chart, and
 * not at the mean of an incomplete step. If `now` is undefined, returns the values unchanged.
 */
function endingNow(values: readonly (number | null)[], now: number | undefined): readonly (number | null)[] {
  return now === undefined || values.length === 0 ? values : [...values.slice(0, -1), now];
}

function scaled(value: number | null, by: number): number | null {
  return value === null ? null : value * by;
}

/** Formats a mean of counts, with at most one decimal. */
function toAmount(value: number): string {
  return toCount(Math.round(value * 10) / 10);
}

/** Formats a number in few characters, because the axis has room for four: 2,500 → `2.5k`. */
function toShort(value: number): string {
  return value >= 1000 ? `${toTenths(value / 1000)}k` : toTenths(value);
}

function toTenths(value: number): string {
  return toCount(Math.round(value * 10) / 10);
}

function toThousandths(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' });

/** Returns weekday and day of the month: `Mon 16`. */
function day(atMs: number): string {
  return `${weekday.format(atMs)} ${new Date(atMs).getDate()}`;
}

/** Formats the time of a step: `18:04`, or `Mon 16, 18:00` if the time span is longer than an hour. */
export function toStepTime(atMs: number, range: HistoryRange): string {
  return range === '1h' ? clock.format(atMs) : `${day(atMs)}, ${clock.format(atMs)}`;
}

/** Formats a mark of the time axis: `18:00`. At midnight, or if marks are days apart, formats the day: `Mon 16`. */
export function toTickTime(atMs: number, stepMs: number): string {
  const at = new Date(atMs);
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0;
  return stepMs >= 86_400_000 || isMidnight ? day(atMs) : clock.format(atMs);
}
