import type { Result } from './compare.ts';
import { uses } from './attribution.ts';
import type { Summary } from './simulate.ts';

type Column<T> = readonly [head: string, cell: (row: T) => string];

/** Formats columns of text. All columns except the first are aligned to the right. */
function toText<T>(rows: readonly T[], columns: readonly Column<T>[]): string {
  const lines = [columns.map(([head]) => head), ...rows.map((row) => columns.map(([, cell]) => cell(row)))];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

function total(result: Result, of: (summary: Summary) => number): string {
  return [...result.byTrace.values()].reduce((sum, summary) => sum + of(summary), 0).toFixed(0);
}

/** Formats the costs and waiting times of each contender over all traces, and the ratio to the lower bound. */
export function toFrontier(results: readonly Result[], optimum: number): string {
  return toText(results, [
    ['policy', ({ contender }) => contender.name],
    ['node-h', ({ nodeHours }) => nodeHours.toFixed(0)],
    ['/ optimum', ({ nodeHours }) => (nodeHours / optimum).toFixed(2)],
    ['EUR', ({ cost }) => cost.toFixed(2)],
    ['waited', ({ waitedShare }) => `${(100 * waitedShare).toFixed(2)} %`],
    ['player-min', ({ playerMinutes }) => playerMinutes.toFixed(0)],
    ['max s', ({ maxWaitS }) => maxWaitS.toFixed(0)],
    ['gave up', (result) => total(result, ({ waits }) => waits.gaveUp)],
    ['starts', (result) => total(result, ({ services }) => services.starts)],
    ['stops', (result) => total(result, ({ services }) => services.stops)],
    ['orders', (result) => total(result, ({ nodes }) => nodes.orders)],
    ['drains', (result) => total(result, ({ nodes }) => nodes.drains)],
    ['releases', (result) => total(result, ({ nodes }) => nodes.releases)],
    ['crashes', (result) => total(result, ({ services }) => services.crashes)],
    ['lost nodes', (result) => total(result, ({ nodes }) => nodes.lost)],
  ]);
}

/** Formats the node-hours of each contender by use. */
export function toUses(results: readonly Result[]): string {
  return toText(results, [
    ['policy', ({ contender }) => contender.name],
    ...uses.map((use): Column<Result> => [use, (result) => total(result, (summary) => summary.uses[use])]),
  ]);
}

/** Formats the results of one contender for each trace. */
export function toTraces(result: Result, optima: ReadonlyMap<string, number>): string {
  return toText(
    [...result.byTrace],
    [
      [result.contender.name, ([name]) => name],
      ['node-h', ([, { nodeHours }]) => String(nodeHours)],
      ['/ optimum', ([name, { nodeHours }]) => (nodeHours / (optima.get(name) ?? NaN)).toFixed(2)],
      ['peak', ([, { peakPlayers }]) => String(peakPlayers)],
      ['waited', ([, { waits }]) => `${(100 * waits.share).toFixed(2)} %`],
      ['mean s', ([, { waits }]) => waits.meanS.toFixed(0)],
      ['p50 s', ([, { waits }]) => waits.p50S.toFixed(0)],
      ['p95 s', ([, { waits }]) => waits.p95S.toFixed(0)],
      ['p99 s', ([, { waits }]) => waits.p99S.toFixed(0)],
      ['max s', ([, { waits }]) => waits.maxS.toFixed(0)],
      ['player-min', ([, { waits }]) => waits.playerMinutes.toFixed(0)],
    ],
  );
}
