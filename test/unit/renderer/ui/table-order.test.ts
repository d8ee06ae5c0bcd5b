import { describe, expect, it } from 'vitest';
import { idsBetween, orderRows } from '#renderer/ui/table/table.ts';

interface Row {
  readonly id: string;
  readonly players: number;
}
const rows: readonly Row[] = [
  { id: 'a', players: 3 },
  { id: 'b', players: 1 },
  { id: 'c', players: 3 },
];
const idOf = ({ id }: Row): string => id;
const byPlayers = { key: ({ players }: Row) => players, descending: true };

describe('orderRows (sorts the rows of a table)', () => {
  it('sorts by the key, and does not swap equal rows', () => {
    expect(orderRows(rows, byPlayers).map(idOf)).toEqual(['a', 'c', 'b']);
    expect(orderRows(rows, { ...byPlayers, descending: false }).map(idOf)).toEqual(['b', 'a', 'c']);
  });

  it('keeps a frozen order even if values change', () => {
    const changed = [{ id: 'a', players: 0 }, rows[1], { id: 'c', players: 9 }] as readonly Row[];
    expect(orderRows(changed, byPlayers, { ids: ['a', 'c', 'b'], idOf }).map(idOf)).toEqual(['a', 'c', 'b']);
  });

  it('adds new rows at the end of a frozen order', () => {
    const changed: readonly Row[] = [
      { id: 'd', players: 1 },
      { id: 'e', players: 7 },
      { id: 'b', players: 1 },
    ];
    expect(orderRows(changed, byPlayers, { ids: ['a', 'c', 'b'], idOf }).map(idOf)).toEqual(['b', 'e', 'd']);
  });
});

describe('idsBetween (selects rows with the Shift key)', () => {
  it.each([
    ['down from the anchor', 'b', 'd', ['b', 'c', 'd']],
    ['up from the anchor', 'd', 'b', ['b', 'c', 'd']],
    ['without an anchor', null, 'c', ['c']],
    ['from an anchor that was removed', 'x', 'c', ['c']],
  ])('selects the rows %s', (...[, from, to, want]) =>
    expect(idsBetween(['a', 'b', 'c', 'd'], from, to)).toEqual(want),
  );
});
