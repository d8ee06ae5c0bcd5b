import { ipcMain, type BrowserWindow, type IpcMainInvokeEvent } from 'electron';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { CHOICE_CHANNEL, REQUEST_CHANNEL } from '#shared/ipc/channels.ts';
import type { Reply } from '#shared/ipc/contract.ts';
import type { Log } from '../environment/log.ts';
import { APP_ORIGIN } from '../window/asset.ts';
import { answer } from './answer.ts';
import type { Handlers } from './handlers.ts';

interface Serving {
  /** Resolves to the handlers. Requests that arrive earlier wait for it. */
  readonly ready: Promise<Handlers>;
  /**
   * Returns the current selection number, which changes each time a person selects a master. A page asks for this
   * number when it loads, and sends it with each request.
   */
  readonly choice: () => number;
  readonly log: Log;
}

/** Handles the requests of one window's own page. Any other sender gets an error. */
export function serveRequests(window: BrowserWindow, { ready, choice, log }: Serving): void {
  const isForeign = (event: IpcMainInvokeEvent): boolean => {
    if (isOwnPage(event, window)) return false;
    log.warn({ from: event.senderFrame?.url.slice(0, 200) }, 'refused a request of a foreign page');
    return true;
  };
  ipcMain.handle(CHOICE_CHANNEL, (event) => (isForeign(event) ? null : choice()));
  ipcMain.handle(REQUEST_CHANNEL, async (event, ...[name, params, meant]: unknown[]): Promise<Reply> => {
    if (isForeign(event)) {
      const what = 'a request came from a page that is not the app’s own';
      return { ok: false, error: toWire(new OverworldError('INTERNAL', { what })) };
    }
    const handlers = await ready;
    const onInternal = (error: unknown, request: string) => {
      log.error({ err: error, request }, 'a request failed inside the app');
    };
    return answer(handlers, { name, params, choice: meant }, { choice: choice(), onInternal });
  });
  window.once('closed', () => {
    ipcMain.removeHandler(CHOICE_CHANNEL);
    ipcMain.removeHandler(REQUEST_CHANNEL);
  });
}

function isOwnPage({ senderFrame }: IpcMainInvokeEvent, window: BrowserWindow): boolean {
  if (senderFrame === null || window.isDestroyed()) return false;
  return senderFrame === window.webContents.mainFrame && senderFrame.origin === APP_ORIGIN;
}
