import type { Grouping } from './table.ts';
import type { RowEntry } from './table-entries.ts';

/** The header of a group in the list of drawn items. */
export interface GroupHead {
  readonly head: true;
  /** Id of the header. It differs from the ids of all rows. */
  readonly id: string;
  readonly key: string;
  readonly folded: boolean;
  /** Index of the group's first row. */
  readonly from: number;
  /** Index after the group's last row. */
  readonly to: number;
}

/** An item of a table: a row, or the header of a group. */
export type Item<Row> = RowEntry<Row> | GroupHead;

/** Returns whether an item of a table is the header of a group. */
export function isHead(item: Item<never> | Item<unknown>): item is GroupHead {
  return 'head' in item;
}

/** Inserts headers before groups of consecutive entries. Omits the rows of collapsed groups. */
export function withHeads<Row>(
  entries: readonly RowEntry<Row>[],
  grouping: Grouping<Row> | null,
  folded: ReadonlySet<string>,
): readonly Item<Row>[] {
  if (grouping === null) return entries;
  const items: Item<Row>[] = [];
  let from = 0;
  while (from < entries.length) {
    const key = entries[from]?.group ?? '';
    const to = endOfGroup(entries, from, key);
    const isFolded = folded.has(key);
    items.push({ head: true, id: headId(key), key, folded: isFolded, from, to });
    if (!isFolded) items.push(...entries.slice(from, to));
    from = to;
  }
  return items;
}

/** Returns the id of a group's header. It differs from all ids of services and nodes. */
export function headId(key: string): string {
  return `group:${key}`;
}

function endOfGroup(entries: readonly RowEntry<unknown>[], from: number, key: string): number {
  let to = from + 1;
  while (to < entries.length && entries[to]?.group === key) to += 1;
  return to;
}
