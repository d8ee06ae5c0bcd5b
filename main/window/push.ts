import type { BrowserWindow } from 'electron';
import { PUSH_CHANNEL } from '#shared/ipc/channels.ts';
import type { Push, PushName } from '#shared/ipc/contract.ts';

/** Pushes a value to the window. Does nothing before the window is open and after it is closed. */
export type PushToWindow = <P extends PushName>(name: P, value: Push<P>) => void;

/** Pushes a value to the window. Does nothing if the window is closed. */
export function pushTo<P extends PushName>(window: BrowserWindow, name: P, value: Push<P>): void {
  if (!window.isDestroyed()) window.webContents.send(PUSH_CHANNEL, name, value);
}
