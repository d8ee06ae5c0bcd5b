import type { BrowserWindow } from 'electron';
import type { PushToWindow } from './push.ts';

/**
 * Reports to the page whether its window is on the screen: not hidden in the tray, and not minimized. The page itself
 * always counts as visible, because it is not throttled in the background (main-window.ts).
 */
export function reportVisibility(window: BrowserWindow, push: PushToWindow): void {
  const report = (): void => push('visible', window.isVisible() && !window.isMinimized());
  // A new page has not received the reports to earlier pages.
  window.webContents.on('did-finish-load', report);
  window.on('show', report);
  window.on('hide', report);
  window.on('minimize', report);
  window.on('restore', report);
}
