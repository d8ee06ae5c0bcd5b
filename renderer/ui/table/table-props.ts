import type { Snippet } from 'svelte';
import type { HTMLAttributes } from 'svelte/elements';
import type { MenuItem } from '../overlay/menu.ts';
import type { ColumnLayout } from './table-columns.ts';
import type { OrderedRows } from './table-entries.ts';
import type { Column, Group, Grouping, Sort } from './table.ts';

/** Properties of a {@link Table}. */
export interface TableProps<Row> {
  /** What the rows are, for screen readers: "Services". */
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
  sort?: Sort | null;
  /** Ids of the selected rows. They stay selected when the rows are updated. */
  selected?: ReadonlySet<string>;
  /** Id of the active row, on which keys act. Null if there is none. */
  active?: string | null;
  /** Id of the row whose details are shown. Null if no details are shown. */
  opened?: string | null;
  /** Called on Enter, and on a click if `clickOpens`, else on a double click. */
  onopen?: (row: Row) => void;
  clickOpens?: boolean;
  /** Returns the menu items for the affected rows: the selection if it contains the row, else the row alone. */
  menuOf?: (rows: readonly Row[]) => readonly MenuItem[];
  /** Called with keys the table does not handle: printable ones start a filter, Delete deletes. */
  onkey?: (event: KeyboardEvent) => void;
  /** Returns a row's name for screen readers: "Select lobby-1". Default: its id. */
  nameOf?: (row: Row) => string;
  rowAttributes?: (row: Row) => HTMLAttributes<HTMLTableRowElement>;
  /** The person's column layout. If given, columns can be chosen, moved and resized. */
  layout?: ColumnLayout | undefined;
  onlayout?: (layout: ColumnLayout) => void;
  /** Groups rows under headers. Requires `order`. */
  grouping?: Grouping<Row> | null;
  /** Keys of collapsed groups. */
  folded?: ReadonlySet<string>;
  /** Shown after a group's name and count: totals of its rows. */
  groupFacts?: Snippet<[Group<Row>]>;
  /**
   * Keeps the rows sorted without sorting all of them at each update, for any number of rows. An instance that outlives
   * the table keeps them sorted between visits. Sort keys and groups must depend on the row object only.
   */
  order?: OrderedRows<Row>;
  /** Whether the values are outdated. They are then shown in grey. */
  stale?: boolean;
  /** Shown instead of rows if there are none. */
  empty?: Snippet;
}
