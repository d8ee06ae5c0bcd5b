import { isHead, type GroupHead } from './table-groups.ts';
import type { TableItems } from './table-items.svelte.ts';
import { idsBetween } from './table.ts';

/** What a selection stands on; the table's own bindable values behind getters and setters. */
interface Standing<Row> {
  readonly list: TableItems<Row>;
  readonly idOf: (row: Row) => string;
  selected: ReadonlySet<string>;
  /** Id of the item the keyboard stands on. */
  active: string | null;
}

/** Selecting rows one by one, in ranges, by groups and all. Heads of groups are never selected themselves. */
export class TableSelection<Row> {
  readonly #on: Standing<Row>;
  /** Where a range begins. */
  #anchor: string | null = null;
  /** Put together row by row: it stays as it is while the keyboard goes elsewhere. */
  #gathered = false;

  constructor(on: Standing<Row>) {
    this.#on = on;
  }

  /** Selected rows that are shown, or stand in a folded group. */
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

  /** All rows of a group, or none of them when all are. */
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

  /** From where a range begins up to this item. */
  readonly range = (to: string): void => {
    const { list, active } = this.#on;
    this.#anchor ??= active;
    const heads = new Set(list.items.filter(isHead).map(({ id }) => id));
    this.#on.selected = new Set(idsBetween(list.ids, this.#anchor, to).filter((id) => !heads.has(id)));
    this.#gathered = true;
  };

  /** All, or none when all are. */
  readonly all = (): void => {
    const { list, idOf } = this.#on;
    this.#on.selected = new Set(this.shown.length === list.rows.length ? [] : list.rows.map(idOf));
    this.#gathered = true;
  };

  /**
   * The keyboard moves on: a range begins there. One row that a click chose goes with it, so that a key never acts on a
   * row the keyboard has left; what was gathered with Space, Ctrl or Shift stays.
   */
  readonly moveOn = (id: string): void => {
    const { list, selected, active } = this.#on;
    const goes = !this.#gathered && selected.size === 1 && active !== null && selected.has(active);
    if (goes && !list.items.some((item) => isHead(item) && item.id === id)) this.only(id);
    else this.#anchor = id;
  };
}
