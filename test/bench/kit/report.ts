import {
  asShown,
  isMeasured,
  ratioOf,
  reachesGoal,
  type Goal,
  type Measurement,
  type Outcome,
} from './measurement.ts';

/** Content of `--json FILE`: one key per measured metric (docs/measuring.md). */
export type JsonReport = Readonly<Record<string, JsonEntry>>;

interface JsonEntry extends Pick<Measurement, 'value' | 'unit' | 'baseline' | 'n' | 'note'> {
  readonly ratio: number | null;
}

export function toJson(outcomes: readonly Outcome[]): JsonReport {
  const entries = outcomes.filter(isMeasured).map((measurement): [string, JsonEntry] => {
    const { metric, value, unit, baseline, n, note } = measurement;
    return [metric, { value, unit, baseline, ratio: ratioOf(measurement), n, note }];
  });
  return Object.fromEntries(entries);
}

const HEADS = ['metric', 'value', 'unit', 'baseline', 'ratio', 'n', 'goal', ''];

/** Formats the results as a table for people: columns of numbers, and the note of each line below it. */
export function toTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(toRow);
  const widths = HEADS.map((head, i) =>
    Math.max(head.length, ...rows.map((row) => row.cells[i]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (isNumeric(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  const lines = rows.flatMap(({ cells, note }) => [line(cells), `  ${note}`]);
  return [line(HEADS), ...lines].join('\n');
}

/** Returns whether a column contains numbers (value, baseline, ratio, n), which are aligned to the right. */
function isNumeric(column: number): boolean {
  return [1, 3, 4, 5].includes(column);
}

function toRow(outcome: Outcome): { readonly cells: readonly string[]; readonly note: string } {
  if (!isMeasured(outcome)) {
    return { cells: [outcome.metric, '–', '', '–', '–', '0', '', 'skipped'], note: outcome.skipped };
  }
  const { metric, value, unit, baseline, n, goal, note } = outcome;
  const ratio = ratioOf(outcome);
  const cells = [
    metric,
    asShown(value),
    unit,
    baseline === null ? '–' : asShown(baseline),
    ratio === null ? '–' : asShown(ratio),
    String(n),
    ...(goal === null ? ['–', ''] : [toText(goal, unit), reachesGoal(outcome) ? 'reached' : 'missed']),
  ];
  return { cells, note };
}

function toText({ of, atMost }: Goal, unit: string): string {
  return of === 'ratio' ? `ratio ≤ ${atMost}` : `≤ ${atMost} ${unit}`;
}
