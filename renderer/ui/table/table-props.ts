import type { Snippet } from 'svelte';
import type { HTMLAttributes } from 'svelte/elements';
import type { MenuItem } from '../overlay/menu.ts';
import type { ColumnLayout } from './table-columns.ts';
import type { OrderedRows } from './table-entries.ts';
import type { Column, Group, Grouping, Sort } from './table.ts';

/** What a {@link Table} is given. */
export interface TableProps<Row> {
  /** What the rows are, read out: "Services". */
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
  sort?: Sort | null;
  /** Ids chosen; survives updates. */
  selected?: ReadonlySet<string>;
  /** Id of the row the keyboard stands on. */
  active?: string | null;
  /** Row shown in details. */
  opened?: string | null;
  /** Enter, or a click while `clickOpens`, else a double click. */
  onopen?: (row: Row) => void;
  clickOpens?: boolean;
  /** Lines of the row menu for the rows it is about (the selection, if the row is in it). */
  menuOf?: (rows: readonly Row[]) => readonly MenuItem[];
  /** Keys the table has no use for: printable ones start a filter, Delete deletes. */
  onkey?: (event: KeyboardEvent) => void;
  /** What a row is called, read out: "Select lobby-1"; its id where this is left out. */
  nameOf?: (row: Row) => string;
  rowAttributes?: (row: Row) => HTMLAttributes<HTMLTableRowElement>;
  /** What the person made of the columns; given, they can be chosen, moved and sized. */
  layout?: ColumnLayout | undefined;
  onlayout?: (layout: ColumnLayout) => void;
  /** Puts rows together under heads. Needs `order`. */
  grouping?: Grouping<Row> | null;
  /** Keys of groups whose rows are not shown. */
  folded?: ReadonlySet<string>;
  /** Behind a group's name and count: what its rows add up to. */
  groupFacts?: Snippet<[Group<Row>]>;
  /**
   * Keeps the order by difference, at any number of rows; one that outlives the table, also from one visit to the next.
   * Sort keys and groups must follow from the row object alone.
   */
  order?: OrderedRows<Row>;
  /** Values are old: greyed. */
  stale?: boolean;
  /** Instead of rows, when there are none. */
  empty?: Snippet;
}
