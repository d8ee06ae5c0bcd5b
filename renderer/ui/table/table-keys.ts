import { isCtrl, type PressedWithCtrl } from '../keyboard/shortcut-key.ts';

/** The action that a key triggers in a focused table. */
export type TableKey =
  | { readonly kind: 'move'; readonly to: number; readonly extend: boolean }
  | { readonly kind: 'open' | 'toggle' | 'menu' | 'select-all' | 'clear' | 'fold' | 'unfold' }
  /** The table does not handle the key. */
  | { readonly kind: 'other' };

interface Standing {
  /** Index of the active row; -1 if none is active. */
  readonly active: number;
  /** Number of rows. */
  readonly count: number;
  /** Number of rows that Page Up and Page Down skip. */
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

type Key = PressedWithCtrl;

/**
 * Interprets a key after the WAI-ARIA grid pattern: arrow keys move, Space selects, Enter opens, the Menu key opens
 * the menu.
 */
export function readTableKey(event: Key, at: Standing): TableKey {
  const { key, shiftKey } = event;
  const move = moves[key];
  if (move !== undefined) return { kind: 'move', to: move(at), extend: shiftKey };
  if (isCtrl(event, 'a')) return { kind: 'select-all' };
  if (key === 'Escape') return { kind: 'clear' };
  if (at.active === -1) return { kind: 'other' };
  if (key === 'ArrowLeft') return { kind: 'fold' };
  if (key === 'ArrowRight') return { kind: 'unfold' };
  if (key === 'Enter') return { kind: 'open' };
  if (key === ' ') return { kind: 'toggle' };
  return { kind: key === 'ContextMenu' || (key === 'F10' && shiftKey) ? 'menu' : 'other' };
}
