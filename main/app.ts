import { join } from 'node:path';
import { app, nativeTheme, session, type BrowserWindow } from 'electron';
import type { AppPaths } from './app-paths.ts';
import { MasterLink } from './connections/link.ts';
import { runEmbeddedMaster } from './embedded/embedded-link.ts';
import { appHandlers } from './ipc/app.ts';
import { fileHandlers } from './ipc/files.ts';
import { linkHandlers } from './ipc/link.ts';
import { rpcHandlers } from './ipc/rpc.ts';
import { push, serveRequests } from './ipc/serve-requests.ts';
import { transferHandlers } from './ipc/transfers.ts';
import type { Log } from './log.ts';
import { Quit } from './quit/quit.ts';
import { RotatingFile } from './rotating-file.ts';
import { takeScreenshot } from './screenshot.ts';
import { Plans } from './sftp/plans.ts';
import { RemoteSession } from './sftp/remote-session.ts';
import { Transfers } from './sftp/transfers.ts';
import type { Switches } from './switches.ts';
import { tellTerminal } from './terminal.ts';
import { loadAppKey } from './vault/app-key.ts';
import { openSettings } from './vault/settings.ts';
import { systemSealer } from './vault/system-sealer.ts';
import { serveApp } from './window/app-protocol.ts';
import { hardenSession } from './window/harden.ts';
import { loadPage, openMainWindow, windowState } from './window/main-window.ts';
import { setMenu } from './window/menu.ts';

/** Name of the embedded master in the window. */
const EMBEDDED_NAME = 'This computer';

/** Builds the parts and opens the window. The app must be ready and hold the single instance lock. */
export async function openApp(paths: AppPaths, switches: Switches, log: Log): Promise<void> {
  const settings = await openSettings(join(paths.userData, 'settings.json'), log);
  const identity = await loadAppKey(join(paths.userData, 'app-key.json'), systemSealer(), log);
  nativeTheme.themeSource = switches.theme ?? settings.data.theme;
  hardenSession(session.defaultSession, log);
  serveApp(paths.renderer, log);

  const window = openMainWindow({
    preload: paths.preload,
    saved: settings.data.window,
    size: switches.size,
    save: (state) => {
      settings.update({ window: state }).catch((error: unknown) => {
        log.error({ err: error }, 'the window’s place could not be remembered');
      });
    },
  });
  const link = new MasterLink({
    kind: 'embedded',
    name: EMBEDDED_NAME,
    identity,
    onChange: (state) => push(window, 'link', state),
    onNotification: (notification) => push(window, 'notification', notification),
    // The embedded master announces its key; it is pinned before the first connection.
    onPin: () => undefined,
  });
  const remote = new RemoteSession(() => link.ssh, log);
  const plans = new Plans();
  const transfers = new Transfers({
    session: remote,
    plans,
    log,
    onChange: (list) => push(window, 'transfers', list),
  });
  serveRequests(
    window,
    {
      ...appHandlers({ settings, dataFolder: paths.userData, publicKey: identity.publicKey }),
      ...linkHandlers(link),
      ...rpcHandlers(link),
      ...fileHandlers({ session: remote, plans, window, practiceServer: paths.practiceServer }),
      ...transferHandlers(transfers),
    },
    log,
  );
  setMenu((place) => push(window, 'navigate', { place }));
  const masterLog = new RotatingFile(join(paths.logs, 'master.log'));
  const master = runEmbeddedMaster({
    entry: paths.master,
    dataFolder: join(paths.userData, 'master'),
    publicKey: identity.publicKey,
    link,
    settings,
    log,
    writeLog: (text) => masterLog.write(text),
  });
  const quit = new Quit({
    window,
    link,
    master,
    transfers,
    settings,
    // A size given on the command line is not the person's.
    lastSettings: () =>
      switches.size === null && !window.isDestroyed() ? { window: windowState(window) } : {},
    log,
    override: switches.onQuit,
    unattended: switches.screenshot !== null,
  });
  quit.listen();
  app.on('second-instance', () => {
    if (window.isMinimized()) window.restore();
    window.focus();
  });

  await show(window, switches.screenshot).then(
    (finished) => {
      if (finished) quit.begin(0);
    },
    (error: unknown) => {
      log.fatal({ err: error }, 'the window could not be shown');
      tellTerminal(error instanceof Error ? error.message : String(error));
      quit.begin(1);
    },
  );
}

/** Loads the page, and takes the picture if one is wanted. @returns true when there is nothing more to do */
async function show(window: BrowserWindow, screenshot: string | null): Promise<boolean> {
  if (screenshot === null) {
    await loadPage(window);
    return false;
  }
  await takeScreenshot(window, screenshot);
  return true;
}
