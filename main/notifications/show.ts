import { Notification } from 'electron';
import type { Note } from './decide.ts';
import { plainText } from './plain-text.ts';

/** Displayed notifications. Without a reference a notification and its click handler may be garbage collected. */
const shown = new Set<Notification>();

/** Shows a system notification, and calls `onClick` after a click. Does nothing on systems without notifications. */
export function showNote({ title, body }: Note, onClick: () => void): void {
  if (!Notification.isSupported()) return;
  const plain = (text: string): string => plainText(text, process.platform);
  const notification = new Notification({ title: plain(title), body: plain(body) });
  shown.add(notification);
  notification.once('click', () => {
    shown.delete(notification);
    onClick();
  });
  notification.once('close', () => shown.delete(notification));
  notification.show();
}
