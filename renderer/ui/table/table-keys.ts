/** What a key asks of a table, once it has the focus. */
export type TableKey =
  | { readonly kind: 'move'; readonly to: number; readonly extend: boolean }
  | { readonly kind: 'open' | 'toggle' | 'menu' | 'select-all' | 'clear' | 'fold' | 'unfold' }
  /** The table has no use for it. */
  | { readonly kind: 'other' };

interface Standing {
  /** Index of the row the keyboard stands on, -1 for none. */
  readonly active: number;
  /** Rows there are. */
  readonly count: number;
  /** Rows that a page key goes over. */
  readonly page: number;
}

const moves: Readonly<Record<string, (at: Standing) => number>> = {
  ArrowDown: ({ active }) => active + 1,
  ArrowUp: ({ active }) => active - 1,
  PageDown: ({ active, page }) => active + page,
  PageUp: ({ active, page }) => active - page,
  Home: () => 0,
  End: ({ count }) => count - 1,
};

type Key = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey'>;

/** Reads a key as the WAI-ARIA grid pattern has it: arrows move, Space selects, Enter opens, the Menu key offers. */
export function readTableKey(event: Key, at: Standing): TableKey {
  const { key, shiftKey } = event;
  const move = moves[key];
  if (move !== undefined) return { kind: 'move', to: move(at), extend: shiftKey };
  if (key === 'a' && (event.ctrlKey || event.metaKey)) return { kind: 'select-all' };
  if (key === 'Escape') return { kind: 'clear' };
  if (at.active === -1) return { kind: 'other' };
  if (key === 'ArrowLeft') return { kind: 'fold' };
  if (key === 'ArrowRight') return { kind: 'unfold' };
  if (key === 'Enter') return { kind: 'open' };
  if (key === ' ') return { kind: 'toggle' };
  return { kind: key === 'ContextMenu' || (key === 'F10' && shiftKey) ? 'menu' : 'other' };
}
