import { orderRows, type Column, type Grouping, type Sort } from './table.ts';
import type { RowEntry, OrderedRows, OrderRule } from './table-entries.ts';
import { isHead, withHeads, type GroupHead, type Item } from './table-groups.ts';

interface Options<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  readonly sort: Sort | null;
  readonly grouping: Grouping<Row> | null;
  readonly folded: ReadonlySet<string>;
  /**
   * Sorts the rows without sorting all of them at each update. Sort keys and groups must depend only on the row
   * objects.
   */
  readonly order: OrderedRows<Row> | undefined;
  /** The filter that the rows match. */
  readonly filter: string | undefined;
}

/** The sorted items of a table. */
export interface TableItems<Row> {
  readonly items: readonly Item<Row>[];
  /** Ids of the items, including headers. */
  readonly ids: readonly string[];
  /** The sorted rows, including those of collapsed groups. */
  readonly rows: readonly Row[];
  /** Returns the rows of a group. */
  rowsOf(head: GroupHead): readonly Row[];
  /** Returns the index of an item. -1 if the item is not shown. */
  indexOf(id: string | null): number;
  /** Stops reordering while the pointer is over the rows. */
  readonly hold: () => void;
  readonly letGo: () => void;
}

/**
 * Returns the sorted items of a table and keeps them up to date. Must be called during the initialisation of a
 * component.
 */
export function createTableItems<Row>(options: () => Options<Row>): TableItems<Row> {
  let held = $state(false);
  /**
   * Ids in the order that the rows had when sorting was paused, and the filter at that time. Used only for a table
   * without `order`.
   */
  let kept: { readonly ids: readonly string[]; readonly filter: string | undefined } = {
    ids: [],
    filter: undefined,
  };

  const keyOf = $derived.by(() => {
    const { columns, sort } = options();
    return columns.find(({ id }) => id === sort?.column)?.sortKey;
  });
  const descending = $derived(options().sort?.descending === true);
  const grouping = $derived(options().grouping);
  const idOf = $derived(options().idOf);
  const filter = $derived(options().filter);
  const rule: OrderRule<Row> = $derived({
    column: options().sort?.column ?? null,
    idOf,
    keyOf,
    descending,
    grouping,
    filter,
  });
  const entries: readonly RowEntry<Row>[] = $derived.by(() => {
    const { rows, order } = options();
    if (order !== undefined) return order.update(rows, rule, held);
    const isKept = held && kept.filter === filter;
    const ordered = orderRows(rows, { key: keyOf, descending }, isKept ? { ids: kept.ids, idOf } : null);
    // After another filter, the rows are sorted once, and then keep their positions again.
    if (held && !isKept) kept = { ids: ordered.map(idOf), filter };
    return ordered.map((row) => ({ id: idOf(row), row, group: '', rank: 0, key: '' }));
  });
  const items = $derived(withHeads(entries, grouping, options().folded));
  const ids = $derived(items.map(({ id }) => id));
  const rows = $derived(entries.map(({ row }) => row));

  return {
    get items() {
      return items;
    },
    get ids() {
      return ids;
    },
    get rows() {
      return rows;
    },
    rowsOf: ({ from, to }) => entries.slice(from, to).map(({ row }) => row),
    indexOf: (id) => (id === null ? -1 : ids.indexOf(id)),
    hold: () => {
      if (!held) kept = { ids: items.flatMap((item) => (isHead(item) ? [] : [item.id])), filter };
      held = true;
    },
    letGo: () => {
      held = false;
    },
  };
}
