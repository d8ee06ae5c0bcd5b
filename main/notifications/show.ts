import { Notification, type BrowserWindow } from 'electron';
import type { Tell } from '../tell.ts';
import { showWindow } from '../window/show.ts';
import type { Note } from './decide.ts';

/** Kept until they are gone: one that nobody holds may be collected, and its click with it. */
const shown = new Set<Notification>();

/** Shows a note by the system; a click brings the window to the note's place. Nothing where the system shows none. */
export function showNote({ title, body, place }: Note, window: BrowserWindow, tell: Tell): void {
  if (!Notification.isSupported()) return;
  const notification = new Notification({ title, body });
  shown.add(notification);
  notification.once('click', () => {
    shown.delete(notification);
    showWindow(window);
    tell('navigate', { place });
  });
  notification.once('close', () => shown.delete(notification));
  notification.show();
}
