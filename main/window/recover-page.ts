import { app, dialog, type BrowserWindow } from 'electron';
import type { Log } from '../environment/log.ts';
import { PageRecovery, type PageDialog } from './page-recovery.ts';
import { revealWindow } from './show.ts';
import type { UnsavedTexts } from './unsaved.ts';

/**
 * Reloads the window's page after a crash, or asks the person what to do.
 *
 * @returns the recovery, which must know if the person cancels quitting
 */
export function recoverPage(
  window: BrowserWindow,
  { unsaved, log }: { readonly unsaved: UnsavedTexts; readonly log: Log },
): PageRecovery {
  const contents = window.webContents;
  const recovery = new PageRecovery({
    unsaved,
    log,
    reload: () => contents.reload(),
    endProcess: () => contents.forcefullyCrashRenderer(),
    quit: () => app.quit(),
    show: (question) => showOver(window, question),
  });
  const logFailure = (error: unknown) => log.error({ err: error }, 'the page could not be recovered');
  contents.on('render-process-gone', (_event, exit) => {
    // After the event, because Electron cannot load a page while it reports the exit of the process.
    setImmediate(() => {
      if (!window.isDestroyed()) recovery.handleExit(exit).catch(logFailure);
    });
  });
  contents.on('did-finish-load', () => recovery.handleLoaded());
  contents.on('unresponsive', () => void recovery.handleUnresponsive().catch(logFailure));
  contents.on('responsive', () => recovery.handleResponsive());
  return recovery;
}

async function showOver(
  window: BrowserWindow,
  { buttons, cancel, ...question }: PageDialog,
): Promise<string> {
  // A dialog over a hidden window would not be visible.
  revealWindow(window);
  const { response } = await dialog.showMessageBox(window, {
    type: 'error',
    title: 'Overworld',
    ...question,
    buttons: [...buttons],
    defaultId: 0,
    cancelId: buttons.indexOf(cancel),
    noLink: true,
  });
  return buttons[response] ?? '';
}
