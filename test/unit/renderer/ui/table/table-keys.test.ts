import { describe, expect, it } from 'vitest';
import { readTableKey } from '#renderer/ui/table/table-keys.ts';

const at = { active: 4, count: 100, page: 10 };
const key = (name: string, held: { shiftKey?: boolean; ctrlKey?: boolean; metaKey?: boolean } = {}) => ({
  key: name,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  ...held,
});

describe('readTableKey (handles keys in a table)', () => {
  it.each([
    ['ArrowDown', 5],
    ['ArrowUp', 3],
    ['PageDown', 14],
    ['PageUp', -6],
    ['Home', 0],
    ['End', 99],
  ])('moves with %s to row %i', (name, to) => {
    expect(readTableKey(key(name), at)).toEqual({ kind: 'move', to, extend: false });
    expect(readTableKey(key(name, { shiftKey: true }), at)).toEqual({ kind: 'move', to, extend: true });
  });

  it.each([
    ['opens with Enter', key('Enter'), 'open'],
    ['selects with Space', key(' '), 'toggle'],
    ['opens the menu with the Menu key', key('ContextMenu'), 'menu'],
    ['opens the menu with Shift and F10', key('F10', { shiftKey: true }), 'menu'],
    ['selects all', key('a', { ctrlKey: true }), 'select-all'],
    ['selects all on a Mac', key('a', { metaKey: true }), 'select-all'],
    ['clears the selection with Escape', key('Escape'), 'clear'],
    ['leaves letters to the filter', key('a'), 'other'],
    ['leaves F10 alone', key('F10'), 'other'],
  ] as const)('%s', (_says, event, kind) => expect(readTableKey(event, at)).toEqual({ kind }));

  it('does nothing if no row is active', () => {
    for (const name of ['Enter', ' ', 'ContextMenu']) {
      expect(readTableKey(key(name), { ...at, active: -1 }), name).toEqual({ kind: 'other' });
    }
  });
});
