import { Notification, type BrowserWindow } from 'electron';
import type { PushToWindow } from '../window/push.ts';
import { showWindow } from '../window/show.ts';
import type { Note } from './decide.ts';
import { plainText } from './plain-text.ts';

/** Displayed notifications. Without a reference a notification and its click handler may be garbage collected. */
const shown = new Set<Notification>();

/**
 * Shows a system notification. A click opens its route in the window. Does nothing on systems without
 * notifications.
 */
export function showNote({ title, body, route }: Note, window: BrowserWindow, push: PushToWindow): void {
  if (!Notification.isSupported()) return;
  const plain = (text: string): string => plainText(text, process.platform);
  const notification = new Notification({ title: plain(title), body: plain(body) });
  shown.add(notification);
  notification.once('click', () => {
    shown.delete(notification);
    showWindow(window);
    push('navigate', { route });
  });
  notification.once('close', () => shown.delete(notification));
  notification.show();
}
