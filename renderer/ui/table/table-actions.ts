import { headId, isHead, type GroupHead, type Item } from './table-groups.ts';
import type { TableItems } from './table-items.svelte.ts';
import type { TableKey } from './table-keys.ts';
import type { TableSelection } from './table-selection.ts';
import type { Grouping } from './table.ts';

/** Actions that keys can trigger in a table. */
interface KeyContext<Row> {
  readonly list: TableItems<Row>;
  readonly selection: TableSelection<Row>;
  readonly grouping: Grouping<Row> | null;
  readonly idOf: (row: Row) => string;
  /** Whether there is a selection to clear. */
  readonly hasSelection: boolean;
  readonly moveTo: (index: number, extend: boolean) => void;
  readonly fold: (key: string, to: boolean) => void;
  readonly open: (row: Row) => void;
  readonly openMenu: (row: Row) => void;
}

/**
 * Performs the action of a key in a table.
 *
 * @param item the active item
 * @returns whether the table has handled the key
 */
export function actOnKey<Row>(
  wanted: TableKey,
  item: Item<Row> | undefined,
  context: KeyContext<Row>,
): boolean {
  const { selection, hasSelection, moveTo } = context;
  if (wanted.kind === 'move') moveTo(wanted.to, wanted.extend);
  else if (wanted.kind === 'select-all') selection.all();
  else if (wanted.kind === 'clear' && hasSelection) selection.none();
  else if (item === undefined) return false;
  else return isHead(item) ? actOnHead(wanted.kind, item, context) : actOnRow(wanted.kind, item.row, context);
  return true;
}

function actOnHead<Row>(
  kind: TableKey['kind'],
  head: GroupHead,
  { fold, selection }: KeyContext<Row>,
): boolean {
  if (kind === 'open') fold(head.key, !head.folded);
  else if (kind === 'fold') fold(head.key, true);
  else if (kind === 'unfold') fold(head.key, false);
  else if (kind === 'toggle') selection.toggleGroup(head);
  else return false;
  return true;
}

function actOnRow<Row>(kind: TableKey['kind'], row: Row, context: KeyContext<Row>): boolean {
  const { list, selection, grouping, idOf } = context;
  if (kind === 'open') context.open(row);
  else if (kind === 'toggle') selection.toggle(idOf(row));
  else if (kind === 'menu') context.openMenu(row);
  else if (kind === 'fold' && grouping !== null)
    context.moveTo(list.indexOf(headId(grouping.keyOf(row))), false);
  else return false;
  return true;
}
