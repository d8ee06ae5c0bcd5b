import type { Grouping } from './table.ts';

/** A row with all values that determine its position. */
export interface RowEntry<Row> {
  readonly id: string;
  readonly row: Row;
  /** Key of the row's group. Empty without grouping. */
  readonly group: string;
  readonly rank: number;
  readonly key: string | number;
}

/** Rules by which rows are sorted and grouped. */
export interface OrderRule<Row> {
  /** Id of the column to which `keyOf` belongs. Null if the rows are not sorted by a column. */
  readonly column: string | null;
  readonly idOf: (row: Row) => string;
  readonly keyOf?: ((row: Row) => string | number) | undefined;
  readonly descending: boolean;
  readonly grouping?: Grouping<Row> | null;
  /** The filter that the rows match. For another filter, all rows are sorted, even while they keep their positions. */
  readonly filter?: string | undefined;
}

/**
 * If more than one in this number of rows changes at once, all rows are sorted. This is then cheaper than moving each
 * row.
 */
const MOST_MOVED_PART = 8;

/**
 * Keeps rows sorted across updates. The cost depends on the number of changed rows: a row with the same sort key is
 * replaced in place, and a row with another key is moved by binary search. Sort keys and groups must depend only on
 * the row object. An instance can outlive its table. The next table with this instance then does not have to sort the
 * rows again.
 */
export class OrderedRows<Row> {
  #rule: OrderRule<Row> | null = null;
  #rows: readonly Row[] = [];
  #entries: readonly RowEntry<Row>[] = [];
  #byId = new Map<string, RowEntry<Row>>();
  /** Whether rows have kept their old positions, so that the entries are not in the right order. */
  #unsorted = false;

  /**
   * Applies the current rows.
   *
   * @param held whether rows keep their positions and groups even if their values change; new rows are then added
   *   last
   * @returns the sorted entries; the same array if nothing has changed
   */
  update(rows: readonly Row[], rule: OrderRule<Row>, held: boolean): readonly RowEntry<Row>[] {
    const change = isSameOrder(rule, this.#rule) ? difference(this.#rows, rows) : null;
    this.#rows = rows;
    const tooMany = change !== null && change.added.length * MOST_MOVED_PART > rows.length;
    if (change === null || (!held && (this.#unsorted || tooMany))) {
      this.#sortAll(rows, rule);
    } else if (change.added.length > 0 || change.removed.length > 0) {
      this.#apply(change, rule, held);
    }
    return this.#entries;
  }

  #sortAll(rows: readonly Row[], rule: OrderRule<Row>): void {
    this.#rule = rule;
    this.#unsorted = false;
    const entries = rows.map((row) => toEntry(row, rule));
    // Without a sort key, rows keep their original sequence.
    this.#entries = rule.keyOf === undefined && !rule.grouping ? entries : entries.sort(comparing(rule));
    this.#byId = new Map(entries.map((entry) => [entry.id, entry]));
  }

  #apply(
    { added, removed }: { added: readonly Row[]; removed: readonly Row[] },
    rule: OrderRule<Row>,
    held: boolean,
  ): void {
    const compare = comparing(rule);
    const entries = [...this.#entries];
    const fresh = new Map(added.map((row) => [rule.idOf(row), toEntry(row, rule)]));
    for (const row of removed) {
      const id = rule.idOf(row);
      const old = this.#byId.get(id);
      if (old === undefined) continue;
      const at = this.#unsorted ? entries.indexOf(old) : findPlace(entries, old, compare);
      const wanted = fresh.get(id);
      if (wanted !== undefined && (held || isSamePlace(old, wanted))) {
        if (!isSamePlace(old, wanted)) this.#unsorted = true;
        const { group, rank, key } = old;
        const kept = { ...wanted, group, rank, key };
        entries[at] = kept;
        this.#byId.set(id, kept);
        fresh.delete(id);
      } else {
        entries.splice(at, 1);
        this.#byId.delete(id);
      }
    }
    for (const entry of fresh.values()) {
      if (held) {
        // A new row is inserted at the end of its group, so that the group does not get a second header.
        const last = entries.findLastIndex(({ group }) => group === entry.group);
        entries.splice(last === -1 ? entries.length : last + 1, 0, entry);
        this.#unsorted = true;
      } else {
        entries.splice(findPlace(entries, entry, compare), 0, entry);
      }
      this.#byId.set(entry.id, entry);
    }
    this.#entries = entries;
  }
}

/** Returns whether two rules keep the order of rows: same column, direction, grouping and filter. */
function isSameOrder(a: OrderRule<never>, b: OrderRule<never> | null): boolean {
  return (
    b !== null &&
    a.column === b.column &&
    a.descending === b.descending &&
    a.filter === b.filter &&
    (a.grouping?.id ?? null) === (b.grouping?.id ?? null)
  );
}

/**
 * Returns the objects that are in only one of two lists. For nearly all objects, which have the same index in both
 * lists, this takes one comparison.
 */
function difference<Row>(
  before: readonly Row[],
  after: readonly Row[],
): { readonly added: readonly Row[]; readonly removed: readonly Row[] } {
  if (before.length === after.length) {
    const at: number[] = [];
    for (let index = 0; index < after.length; index += 1) if (before[index] !== after[index]) at.push(index);
    return onlyInOne(
      at.map((index) => before[index] as Row),
      at.map((index) => after[index] as Row),
    );
  }
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail])
    tail += 1;
  return onlyInOne(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
}

function onlyInOne<Row>(
  before: readonly Row[],
  after: readonly Row[],
): { readonly added: readonly Row[]; readonly removed: readonly Row[] } {
  const [old, now] = [new Set(before), new Set(after)];
  return { added: after.filter((row) => !old.has(row)), removed: before.filter((row) => !now.has(row)) };
}

function toEntry<Row>(row: Row, { idOf, keyOf, grouping }: OrderRule<Row>): RowEntry<Row> {
  const id = idOf(row);
  const group = grouping?.keyOf(row) ?? '';
  const rank = grouping?.rankOf?.(group) ?? 0;
  return { id, row, group, rank, key: keyOf?.(row) ?? '' };
}

function isSamePlace(a: RowEntry<unknown>, b: RowEntry<unknown>): boolean {
  return a.key === b.key && a.group === b.group && a.rank === b.rank;
}

function comparing<Row>({ descending }: OrderRule<Row>): (a: RowEntry<Row>, b: RowEntry<Row>) => number {
  const sign = descending ? -1 : 1;
  return (a, b) => {
    if (a.group !== b.group) return a.rank === b.rank ? (a.group < b.group ? -1 : 1) : a.rank - b.rank;
    if (a.key !== b.key) return a.key < b.key ? -sign : sign;
    return compareIds(a.id, b.id);
  };
}

/** Returns the index of an entry in a sorted list, or the index at which it would be inserted. */
function findPlace<Row>(
  entries: readonly RowEntry<Row>[],
  entry: RowEntry<Row>,
  compare: (a: RowEntry<Row>, b: RowEntry<Row>) => number,
): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = entries[middle];
    if (other !== undefined && compare(other, entry) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares the ids of two rows with equal keys. Compares digits by their value. */
function compareIds(a: string, b: string): number {
  const [first, second] = [asPeopleCount(a), asPeopleCount(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

const ties = new Map<string, string>();
/** Maximum number of cached ids. Without a maximum, ids of deleted objects would fill the memory. */
const MOST_TIES = 20_000;

/**
 * Pads numbers with zeros, so that sorting as text sorts them by value: `lobby-2` → `lobby-0000000002`, which comes
 * before `lobby-10`.
 */
function asPeopleCount(id: string): string {
  const known = ties.get(id);
  if (known !== undefined) return known;
  if (ties.size >= MOST_TIES) ties.clear();
  const tie = id.replace(/\d+/g, (digits) => digits.padStart(10, '0'));
  ties.set(id, tie);
  return tie;
}
