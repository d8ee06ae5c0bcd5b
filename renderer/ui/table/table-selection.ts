import { isHead, type GroupHead } from './table-groups.ts';
import type { TableItems } from './table-items.svelte.ts';
import { idsBetween } from './table.ts';

/** The table's state that a selection reads and changes, as getters and setters. */
interface Standing<Row> {
  readonly list: TableItems<Row>;
  readonly idOf: (row: Row) => string;
  selected: ReadonlySet<string>;
  /** Id of the active item. */
  active: string | null;
}

/** Selects rows individually, in ranges, by group or all together. Group headers are never selected themselves. */
export class TableSelection<Row> {
  readonly #on: Standing<Row>;
  /** Id of the row at which a range starts. Null if no start was chosen. */
  #anchor: string | null = null;
  /** Whether the selection was built row by row. Such a selection stays while the active row moves. */
  #gathered = false;

  constructor(on: Standing<Row>) {
    this.#on = on;
  }

  /** The selected rows, including those in collapsed groups, but not those that are no longer in the table. */
  get shown(): readonly Row[] {
    const { list, idOf, selected } = this.#on;
    return selected.size === 0 ? [] : list.rows.filter((row) => selected.has(idOf(row)));
  }

  readonly only = (id: string): void => {
    this.#on.selected = new Set([id]);
    this.#anchor = id;
    this.#gathered = false;
  };

  readonly none = (): void => {
    this.#on.selected = new Set();
  };

  readonly toggle = (id: string): void => {
    const next = new Set(this.#on.selected);
    if (!next.delete(id)) next.add(id);
    this.#on.selected = next;
    this.#anchor = id;
    this.#gathered = true;
  };

  /** Selects all rows of a group. If all of them are already selected, deselects them. */
  readonly toggleGroup = (head: GroupHead): void => {
    const { list, idOf, selected } = this.#on;
    const ids = list.rowsOf(head).map(idOf);
    const all = ids.every((id) => selected.has(id));
    const next = new Set(selected);
    for (const id of ids) {
      if (all) next.delete(id);
      else next.add(id);
    }
    this.#on.selected = next;
    this.#gathered = true;
  };

  /** Selects the range from the anchor row to this item. */
  readonly range = (to: string): void => {
    const { list, active } = this.#on;
    this.#anchor ??= active;
    const heads = new Set(list.items.filter(isHead).map(({ id }) => id));
    this.#on.selected = new Set(idsBetween(list.ids, this.#anchor, to).filter((id) => !heads.has(id)));
    this.#gathered = true;
  };

  /** Selects all rows. If all of them are already selected, deselects them. */
  readonly all = (): void => {
    const { list, idOf } = this.#on;
    this.#on.selected = new Set(this.shown.length === list.rows.length ? [] : list.rows.map(idOf));
    this.#gathered = true;
  };

  /**
   * Makes another row active. The next range starts at this row. If a click has selected only the row that was
   * active, selects the new row instead. So a key never acts on a row that is not active. A selection that was built
   * with Space, Ctrl or Shift stays.
   */
  readonly moveOn = (id: string): void => {
    const { list, selected, active } = this.#on;
    const goes = !this.#gathered && selected.size === 1 && active !== null && selected.has(active);
    if (goes && !list.items.some((item) => isHead(item) && item.id === id)) this.only(id);
    else this.#anchor = id;
  };
}
