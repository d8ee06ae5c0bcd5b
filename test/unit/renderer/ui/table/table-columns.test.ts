import { describe, expect, it } from 'vitest';
import {
  isColumnShown,
  moveColumn,
  NO_LAYOUT,
  orderColumns,
  placeColumn,
  showColumn,
  sizeColumn,
  toColumnTemplate,
} from '#renderer/ui/table/table-columns.ts';
import type { Column } from '#renderer/ui/table/table.ts';

const columns = [
  { id: 'name', width: '160px', fixed: true },
  { id: 'state', width: '100px' },
  { id: 'ram', width: '80px', fromWidth: 900 },
  { id: 'revision', width: '90px', optional: true },
  { id: 'why', width: 'auto' },
] satisfies Partial<Column<never>>[];
const idsOf = (layout = NO_LAYOUT): string[] => orderColumns(columns, layout).map(({ id }) => id);
const column = (id: string) => columns.find((one) => one.id === id) ?? { id };

describe('the columns of a table', () => {
  it('keep the order that the user has chosen, even if columns were added or removed', () => {
    expect(idsOf()).toEqual(['name', 'state', 'ram', 'revision', 'why']);
    expect(idsOf({ ...NO_LAYOUT, order: ['gone', 'why', 'name', 'state'] })).toEqual([
      'name',
      'why',
      'state',
      'ram',
      'revision',
    ]);
  });

  it('can be moved by one position, but not in front of the fixed column', () => {
    const up = moveColumn(columns, NO_LAYOUT, { id: 'ram', step: -1 });
    expect(idsOf(up)).toEqual(['name', 'ram', 'state', 'revision', 'why']);
    expect(moveColumn(columns, up, { id: 'ram', step: -1 })).toBe(up);
    expect(moveColumn(columns, NO_LAYOUT, { id: 'why', step: 1 })).toBe(NO_LAYOUT);
    expect(moveColumn(columns, NO_LAYOUT, { id: 'name', step: 1 })).toBe(NO_LAYOUT);
  });

  it('can be dropped at the position of another column', () => {
    expect(idsOf(placeColumn(columns, NO_LAYOUT, { id: 'why', at: 'state' }))).toEqual([
      'name',
      'why',
      'state',
      'ram',
      'revision',
    ]);
    expect(placeColumn(columns, NO_LAYOUT, { id: 'why', at: 'name' })).toBe(NO_LAYOUT);
  });

  it.each([
    ['with room', 'ram', NO_LAYOUT, 1000, true],
    ['without room', 'ram', NO_LAYOUT, 800, false],
    ['without room, but chosen', 'ram', showColumn(NO_LAYOUT, 'ram', true), 800, true],
    ['hidden by the user', 'state', showColumn(NO_LAYOUT, 'state', false), 1000, false],
    ['optional', 'revision', NO_LAYOUT, 1000, false],
    ['optional and chosen', 'revision', showColumn(NO_LAYOUT, 'revision', true), 1000, true],
    ['fixed, whatever was remembered', 'name', showColumn(NO_LAYOUT, 'name', false), 1000, true],
  ])('are shown or hidden: %s', (...[, id, layout, width, want]) => {
    expect(isColumnShown(column(id), layout, width)).toBe(want);
  });

  it('keep their widths, except for the column that fills the remaining width', () => {
    const shown = [column('name'), column('state'), column('why')] as typeof columns;
    expect(toColumnTemplate(shown, NO_LAYOUT)).toEqual({
      template: '48px 160px 100px minmax(160px, 1fr)',
      minWidth: 468,
    });
    const wider = sizeColumn(sizeColumn(NO_LAYOUT, 'why', 300.4), 'state', 5);
    expect(toColumnTemplate(shown, wider)).toEqual({
      template: '48px 160px 56px minmax(300px, 1fr)',
      minWidth: 564,
    });
    expect(toColumnTemplate(shown.slice(0, 2), NO_LAYOUT).template).toBe('48px minmax(160px, 1fr) 100px');
  });
});
