import type { BrowserWindow, WebContents } from 'electron';
import { PUSH_CHANNEL } from '#shared/ipc/channels.ts';
import type { Push, PushName } from '#shared/ipc/contract.ts';

/** Pushes a value to the window. Does nothing before the window is open and after it is closed. */
export type PushToWindow = <P extends PushName>(name: P, value: Push<P>) => void;

/** The functions of Electron's window that {@link pushTo} calls. */
type PushTarget = Pick<BrowserWindow, 'isDestroyed'> & {
  readonly webContents: Pick<WebContents, 'isCrashed' | 'send'>;
};

/** Pushes a value to the window. Does nothing if the window is closed, or if its page has crashed. */
export function pushTo<P extends PushName>(window: PushTarget, name: P, value: Push<P>): void {
  if (!window.isDestroyed() && !window.webContents.isCrashed()) {
    window.webContents.send(PUSH_CHANNEL, name, value);
  }
}
