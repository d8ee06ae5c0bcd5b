import type { BrowserWindow } from 'electron';

/** Brings the window to the front, from wherever it is: the tray, the task bar, behind others. */
export function showWindow(window: BrowserWindow): void {
  if (window.isDestroyed()) return;
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}
