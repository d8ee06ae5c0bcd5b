import type { Snippet } from 'svelte';
import type { HTMLAttributes } from 'svelte/elements';
import type { MenuItem } from '../overlay/menu.ts';
import type { ColumnLayout } from './table-columns.ts';
import type { OrderedRows } from './table-entries.ts';
import type { Column, Group, Grouping, Sort } from './table.ts';

/** Properties of a {@link Table}. */
export interface TableProps<Row> {
  /** Name of the table for screen readers: "Services". */
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
  /**
   * Called when a person opens a row: with Enter, or with a click if `clickOpens` is set, otherwise with a double
   * click.
   */
  onopen?: (row: Row) => void;
  clickOpens?: boolean;
  /**
   * Returns the menu items for the given rows. These are the selected rows if the person opened the menu on one of
   * them, otherwise only the row with the menu.
   */
  menuOf?: (rows: readonly Row[]) => readonly MenuItem[];
  /** Called with keys that the table does not handle: printable keys start a filter, Delete deletes. */
  onkey?: (event: KeyboardEvent) => void;
  /** Returns a row's name for screen readers: "Select lobby-1". Default: the row's id. */
  nameOf?: (row: Row) => string;
  rowAttributes?: (row: Row) => HTMLAttributes<HTMLTableRowElement>;
  /** The person's column layout. If given, columns can be chosen, moved and resized. */
  layout?: ColumnLayout | undefined;
  onlayout?: (layout: ColumnLayout) => void;
  /** Groups rows under headers. Requires `order`. */
  grouping?: Grouping<Row> | null;
  /** Keys of collapsed groups. */
  folded?: ReadonlySet<string>;
  /** Shown after a group's name and count, such as totals of its rows. */
  groupFacts?: Snippet<[Group<Row>]>;
  /**
   * Sorts the rows without sorting all of them at each update. An instance that outlives the table keeps the rows
   * sorted between visits. Sort keys and groups must depend only on the row object.
   */
  order?: OrderedRows<Row>;
  /** The filter that the rows match. For another filter, the rows are sorted even while the pointer is over them. */
  filter?: string;
  /** Whether the values are outdated. They are then shown in grey. */
  stale?: boolean;
  /** Shown instead of the rows if there are none. */
  empty?: Snippet;
}
