import type { Grouping } from './table.ts';
import type { Entry } from './table-entries.ts';

/** The head of a group in the list of what is drawn. */
export interface GroupHead {
  readonly head: true;
  /** Unlike any row's id. */
  readonly id: string;
  readonly key: string;
  readonly folded: boolean;
  /** Its rows: from this entry on … */
  readonly from: number;
  /** … up to before this one. */
  readonly to: number;
}

/** What a table draws, from top to bottom. */
export type Item<Row> = Entry<Row> | GroupHead;

export function isHead(item: Item<never> | Item<unknown>): item is GroupHead {
  return 'head' in item;
}

/** Puts heads before the groups of entries that stand together, and leaves out the rows of folded ones. */
export function withHeads<Row>(
  entries: readonly Entry<Row>[],
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

/** The id of a group's head: unlike a service's or a node's. */
export function headId(key: string): string {
  return `group:${key}`;
}

function endOfGroup(entries: readonly Entry<unknown>[], from: number, key: string): number {
  let to = from + 1;
  while (to < entries.length && entries[to]?.group === key) to += 1;
  return to;
}
