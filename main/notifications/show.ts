import { Notification, type BrowserWindow } from 'electron';
import type { PushToWindow } from '../window/push.ts';
import { showWindow } from '../window/show.ts';
import type { Note } from './decide.ts';

/** Keeps references, because a notification without one may be garbage collected together with its click handler. */
const shown = new Set<Notification>();

/**
 * Shows a system notification. A click opens its place in the window. Does nothing on systems without
 * notifications.
 */
export function showNote({ title, body, place }: Note, window: BrowserWindow, push: PushToWindow): void {
  if (!Notification.isSupported()) return;
  const notification = new Notification({ title, body });
  shown.add(notification);
  notification.once('click', () => {
    shown.delete(notification);
    showWindow(window);
    push('navigate', { place });
  });
  notification.once('close', () => shown.delete(notification));
  notification.show();
}
