import type { Snippet } from 'svelte';

/** A column of a {@link Table}. */
export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** Width in CSS px: fixed, so that nothing jumps while data flows. One column may be `auto` and takes the rest. */
  readonly width: `${number}px` | 'auto';
  readonly align?: 'start' | 'end';
  /** What it is sorted by; a column without it cannot be sorted. */
  readonly sortKey?: (row: Row) => string | number;
  /** Not shown while the table is narrower than this, px, unless a person chose it. */
  readonly fromWidth?: number;
  /** Shown only once a person chose it. */
  readonly optional?: boolean;
  /** Names the row: can neither be hidden nor moved. */
  readonly fixed?: boolean;
  readonly cell: Snippet<[Row]>;
}

export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

/** Rows put together under heads. */
export interface Grouping<Row> {
  readonly id: string;
  /** "Template": what rows of one group have in common. */
  readonly title: string;
  readonly keyOf: (row: Row) => string;
  /** Where a group stands among the others; without it by its key. */
  readonly rankOf?: (key: string) => number;
  /** What its head says. */
  readonly label: (key: string) => string;
}

/** One group as its head shows it. */
export interface Group<Row> {
  readonly key: string;
  readonly label: string;
  readonly rows: readonly Row[];
  readonly folded: boolean;
}

/**
 * Puts rows in order. Rows that are equal keep the order they came in.
 *
 * @param held ids in the order shown now, while it must not change (pointer over the rows): those keep their
 * order, rows that are new come after them, sorted
 */
export function orderRows<Row>(
  rows: readonly Row[],
  by: { readonly key?: ((row: Row) => string | number) | undefined; readonly descending: boolean },
  held?: { readonly ids: readonly string[]; readonly idOf: (row: Row) => string } | null,
): readonly Row[] {
  const sorted = sortRows(rows, by);
  if (held === undefined || held === null) return sorted;
  const left = new Map(sorted.map((row) => [held.idOf(row), row]));
  const kept: Row[] = [];
  for (const id of held.ids) {
    const row = left.get(id);
    if (row === undefined) continue;
    kept.push(row);
    left.delete(id);
  }
  return [...kept, ...left.values()];
}

function sortRows<Row>(
  rows: readonly Row[],
  { key, descending }: { key?: ((row: Row) => string | number) | undefined; descending: boolean },
): readonly Row[] {
  if (key === undefined) return rows;
  const sign = descending ? -1 : 1;
  // Keys are made once per row, not once per comparison: 5,000 rows are sorted within a frame.
  return rows
    .map((row, index) => ({ row, index, key: key(row) }))
    .sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : a.index - b.index))
    .map(({ row }) => row);
}

/** The ids from one row to another, both included, in the order shown; only `to` when `from` is not shown. */
export function idsBetween(ids: readonly string[], from: string | null, to: string): readonly string[] {
  const start = from === null ? -1 : ids.indexOf(from);
  const end = ids.indexOf(to);
  if (start === -1 || end === -1) return [to];
  return ids.slice(Math.min(start, end), Math.max(start, end) + 1);
}
