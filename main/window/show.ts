import type { BrowserWindow } from 'electron';

/** Brings the window to the front from the tray, the task bar, or behind others. */
export function showWindow(window: BrowserWindow): void {
  if (window.isDestroyed()) return;
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}
