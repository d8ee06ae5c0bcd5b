import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderedRows, type OrderRule } from '#renderer/ui/table/table-entries.ts';
import { isHead, withHeads } from '#renderer/ui/table/table-groups.ts';
import type { Grouping } from '#renderer/ui/table/table.ts';

interface Row {
  readonly id: string;
  readonly players: number;
  readonly node: string;
}

const byNode: Grouping<Row> = {
  id: 'node',
  title: 'Node',
  keyOf: ({ node }) => node,
  rankOf: (node) => (node === 'none' ? 1 : 0),
  label: (node) => node,
};
const rule = (change: Partial<OrderRule<Row>> = {}): OrderRule<Row> => ({
  column: 'players',
  idOf: ({ id }) => id,
  keyOf: ({ players }) => players,
  descending: false,
  grouping: null,
  ...change,
});

const aRow = fc.record({
  id: fc.integer({ min: 1, max: 30 }).map((n) => `lobby-${n}`),
  players: fc.integer({ min: 0, max: 4 }),
  node: fc.constantFrom('a', 'b', 'none'),
});
const someRows = fc.uniqueArray(aRow, { selector: ({ id }) => id, maxLength: 25 });

/** Reuses the objects of unchanged rows, as the store does. */
function keepObjects(before: readonly Row[], after: readonly Row[]): readonly Row[] {
  return after.map(
    (row) =>
      before.find((old) => old.id === row.id && old.players === row.players && old.node === row.node) ?? row,
  );
}

const shown = (ordered: OrderedRows<Row>, rows: readonly Row[], by: OrderRule<Row>): Row[] =>
  ordered.update(rows, by, false).map(({ row }) => row);

describe('OrderedRows (keeps the rows of a table sorted)', () => {
  it('has the same order after any updates as if all rows were sorted again', () => {
    const rules = [rule(), rule({ descending: true }), rule({ grouping: byNode })];
    fc.assert(
      fc.property(
        fc.array(someRows, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...rules),
        (steps, by) => {
          const ordered = new OrderedRows<Row>();
          let rows: readonly Row[] = [];
          for (const step of steps) {
            rows = keepObjects(rows, step);
            expect(shown(ordered, rows, by)).toEqual(shown(new OrderedRows(), rows, by));
          }
        },
      ),
    );
  });

  it('sorts by group, then by key, then by id, and compares numbers in ids by value', () => {
    const rows: Row[] = [
      { id: 'lobby-10', players: 1, node: 'none' },
      { id: 'lobby-2', players: 1, node: 'none' },
      { id: 'lobby-3', players: 0, node: 'b' },
      { id: 'lobby-4', players: 9, node: 'b' },
      { id: 'lobby-5', players: 5, node: 'a' },
    ];
    const ids = (by: OrderRule<Row>): string[] => shown(new OrderedRows(), rows, by).map(({ id }) => id);
    expect(ids(rule({ grouping: byNode }))).toEqual(['lobby-5', 'lobby-3', 'lobby-4', 'lobby-2', 'lobby-10']);
    expect(ids(rule({ grouping: byNode, descending: true }))).toEqual([
      'lobby-5',
      'lobby-4',
      'lobby-3',
      'lobby-2',
      'lobby-10',
    ]);
  });

  it('keeps the order and the groups while it is frozen, and sorts again afterwards', () => {
    fc.assert(
      fc.property(someRows, someRows, (first, second) => {
        const by = rule({ grouping: byNode });
        const ordered = new OrderedRows<Row>();
        const before = shown(ordered, first, by).map(({ id }) => id);
        const rows = keepObjects(first, second);
        const entries = ordered.update(rows, by, true);
        const now = entries.map(({ row }) => row.id);
        const stayed = before.filter((id) => now.includes(id));
        expect(now.filter((id) => before.includes(id))).toEqual(stayed);
        expect([...now].sort()).toEqual(rows.map(({ id }) => id).sort());
        expect(entries.every(({ row }) => rows.includes(row))).toBe(true);
        const heads = withHeads(entries, by.grouping ?? null, new Set()).filter(isHead);
        expect(new Set(heads.map(({ key }) => key)).size).toBe(heads.length);
        expect(shown(ordered, rows, by)).toEqual(shown(new OrderedRows(), rows, by));
      }),
    );
  });

  it('computes sort keys only for changed rows', () => {
    let asked = 0;
    const by = rule({
      keyOf: ({ players }) => {
        asked += 1;
        return players;
      },
    });
    const rows: Row[] = Array.from({ length: 5000 }, (_, n) => ({
      id: `lobby-${n}`,
      players: n % 7,
      node: 'a',
    }));
    const ordered = new OrderedRows<Row>();
    ordered.update(rows, by, false);
    asked = 0;
    const next = rows.with(17, { id: 'lobby-17', players: 50, node: 'a' });
    expect(ordered.update(next, by, false).at(-1)?.row).toBe(next[17]);
    const without = next.toSpliced(3000, 1);
    expect(ordered.update(without, by, false)).toHaveLength(4999);
    expect(ordered.update([...without, { id: 'lobby-9999', players: -1, node: 'a' }], by, false)[0]?.id).toBe(
      'lobby-9999',
    );
    expect(asked).toBe(2);
  });

  it('sorts all rows again only if column, direction or grouping have changed', () => {
    const rows: Row[] = Array.from({ length: 100 }, (_, n) => ({
      id: `lobby-${n}`,
      players: n % 7,
      node: `${n % 3}`,
    }));
    const ordered = new OrderedRows<Row>();
    const first = ordered.update(rows, rule(), false);
    expect(ordered.update(rows, rule({ keyOf: (row) => row.players }), false)).toBe(first);
    const others = [
      rule({ column: 'node', keyOf: ({ node }) => node }),
      rule({ descending: true }),
      rule({ grouping: byNode }),
      rule(),
    ];
    for (const by of others) expect(shown(ordered, rows, by)).toEqual(shown(new OrderedRows(), rows, by));
  });

  it('returns the same list if nothing has changed', () => {
    const rows: Row[] = [{ id: 'lobby-1', players: 1, node: 'a' }];
    const by = rule();
    const ordered = new OrderedRows<Row>();
    const first = ordered.update(rows, by, false);
    expect(ordered.update([...rows], by, false)).toBe(first);
  });
});

describe('withHeads (adds headings to groups of rows)', () => {
  const rows: Row[] = ['a', 'a', 'b'].map((node, n) => ({ id: `lobby-${n}`, players: 0, node }));
  const by = rule({ grouping: byNode });
  const ids = (folded: readonly string[]): string[] =>
    withHeads(new OrderedRows<Row>().update(rows, by, false), byNode, new Set(folded)).map(({ id }) => id);

  it('adds a heading in front of each group, and removes the rows of collapsed groups', () => {
    expect(ids([])).toEqual(['group:a', 'lobby-0', 'lobby-1', 'group:b', 'lobby-2']);
    expect(ids(['a'])).toEqual(['group:a', 'group:b', 'lobby-2']);
  });
});
