import { ipcMain, type BrowserWindow, type IpcMainInvokeEvent } from 'electron';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { PUSH_CHANNEL, REQUEST_CHANNEL } from '#shared/ipc/channels.ts';
import type { Push, PushName, Reply } from '#shared/ipc/contract.ts';
import type { Log } from '../log.ts';
import { APP_ORIGIN } from '../window/asset.ts';
import { answer } from './answer.ts';
import type { Handlers } from './handlers.ts';

/**
 * Answers the requests of one window's own page; anybody else gets an error (style 6).
 *
 * @param ready what answers; requests that come before it wait
 */
export function serveRequests(window: BrowserWindow, ready: Promise<Handlers>, log: Log): void {
  ipcMain.handle(REQUEST_CHANNEL, async (event, name: unknown, params: unknown): Promise<Reply> => {
    if (!isOwnPage(event, window)) {
      log.warn({ from: event.senderFrame?.url.slice(0, 200) }, 'refused a request of a foreign page');
      const what = 'a request came from a page that is not the app’s own';
      return { ok: false, error: toWire(new OverworldError('INTERNAL', { what })) };
    }
    return answer(await ready, { name, params }, (error, request) => {
      log.error({ err: error, request }, 'a request failed inside the app');
    });
  });
  window.once('closed', () => ipcMain.removeHandler(REQUEST_CHANNEL));
}

/** Tells the window something; nothing happens when it is closed. */
export function push<P extends PushName>(window: BrowserWindow, name: P, value: Push<P>): void {
  if (!window.isDestroyed()) window.webContents.send(PUSH_CHANNEL, name, value);
}

function isOwnPage({ senderFrame }: IpcMainInvokeEvent, window: BrowserWindow): boolean {
  if (senderFrame === null || window.isDestroyed()) return false;
  return senderFrame === window.webContents.mainFrame && senderFrame.origin === APP_ORIGIN;
}
