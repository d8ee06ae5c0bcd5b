import type { BrowserWindow } from 'electron';

/** Brings the window to the front if it is hidden in the tray, minimized, or behind other windows. */
export function showWindow(window: BrowserWindow): void {
  if (window.isDestroyed()) return;
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}
