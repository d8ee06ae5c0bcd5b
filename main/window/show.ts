import type { BrowserWindow } from 'electron';

/** The functions of Electron's window that are called here. */
type ShownWindow = Pick<
  BrowserWindow,
  'isDestroyed' | 'isVisible' | 'isMinimized' | 'restore' | 'show' | 'focus'
>;

/** Brings the window to the front if it is hidden in the tray, minimized, or behind other windows. */
export function showWindow(window: ShownWindow): void {
  if (window.isDestroyed()) return;
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

/**
 * Shows the window if it is hidden in the tray or minimized. Otherwise does not change it, so that a person who works
 * in another program is not interrupted.
 */
export function revealWindow(window: ShownWindow): void {
  if (!window.isDestroyed() && (!window.isVisible() || window.isMinimized())) showWindow(window);
}
