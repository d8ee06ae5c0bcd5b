import { join } from 'node:path';
import { app, nativeTheme, powerMonitor, session, type BrowserWindow } from 'electron';
import { EMBEDDED, type PushName } from '#shared/ipc/contract.ts';
import type { AppPaths } from '../environment/app-paths.ts';
import { Connections } from '../connections/connections.ts';
import { MasterLink } from '../connections/link.ts';
import { activeId, EMBEDDED_NAME } from '../connections/profiles.ts';
import { readSshAhead } from '../connections/ssh.ts';
import { EmbeddedConnection } from '../embedded/embedded-connection.ts';
import { forkMaster } from '../embedded/master-child.ts';
import {
  pauseConnection,
  openFileServices,
  connectionChanged,
  type FileServices,
} from '../files/file-services.ts';
import { openInstalls } from '../install/open-installs.ts';
import { allHandlers } from '../ipc/all-handlers.ts';
import type { Handlers } from '../ipc/handlers.ts';
import { serveRequests } from '../ipc/serve-requests.ts';
import type { Log } from '../environment/log.ts';
import type { AppContext, ConnectionContext, InstallationContext } from '../context/app-context.ts';
import { pushTo, type PushToWindow } from '../window/push.ts';
import { Quit, type QuitOptions } from '../quit/quit.ts';
import { UnsavedTexts } from '../window/unsaved.ts';
import { RotatingFile } from '../environment/rotating-file.ts';
import { takeScreenshot } from './screenshot.ts';
import type { Switches } from './switches.ts';
import { writeToStderr } from '../environment/stderr.ts';
import { openBackground, type Background } from '../tray/attach.ts';
import { loadAppKey } from '../vault/app-key.ts';
import { openSettings } from '../vault/settings.ts';
import { systemSealer } from '../vault/system-sealer.ts';
import { askOver } from '../window/ask.ts';
import { serveApp } from '../window/app-protocol.ts';
import { hardenSession } from '../window/harden.ts';
import { loadPage } from '../window/load-page.ts';
import { openMainWindow, windowState } from '../window/main-window.ts';
import { setMenu } from '../window/menu.ts';
import { recoverPage } from '../window/recover-page.ts';
import { reportVisibility } from '../window/report-visibility.ts';
import { showWindow } from '../window/show.ts';

/** Key in `settings.memory` under which the page stores its last route (renderer/stores/app/route.svelte.ts). */
const ROUTE_KEY = 'place';

/** Creates the app's context and opens the window. The app must be ready and own the single instance lock. */
export async function openApp(paths: AppPaths, switches: Switches, log: Log): Promise<void> {
  const [settings, identity] = await Promise.all([
    openSettings(join(paths.userData, 'settings.json'), log),
    loadAppKey(join(paths.userData, 'app-key.json'), systemSealer(), log),
  ]);
  nativeTheme.themeSource = switches.theme ?? settings.data.theme;

  // Null until the window is open. The parts that send to the window are created before that, because the start of
  // the master takes the longest.
  let window: BrowserWindow | null = null;
  const ask = askOver(() => window);
  const push: PushToWindow = (name: PushName, value) => {
    if (window !== null) pushTo(window, name, value);
  };
  const unsaved = new UnsavedTexts();
  let files: FileServices | null = null;
  let background: Background | null = null;
  const link = new MasterLink({
    subject: { connection: EMBEDDED, kind: 'embedded', name: EMBEDDED_NAME },
    identity,
    onChange: (state) => {
      connections.linkChanged(state);
      push('link', state);
      if (files !== null) connectionChanged(files);
      background?.applyLink(state);
    },
    onNotification: (notification) => {
      push('notification', notification);
      background?.handleNotification(notification);
    },
  });
  const embedded = makeEmbeddedSide({ paths, settings, identity, link, log });
  const connections = new Connections({
    settings,
    link,
    embedded,
    identity,
    log,
    ask,
    unsaved,
    onChange: (list) => {
      push('connections', [...list]);
      if (files !== null) connectionChanged(files);
    },
    // Reloads the page, so that no part of it keeps data of the previous master.
    onSwitch: () => window?.webContents.reload(),
    onOtherMaster: (id) => {
      if (files !== null) pauseConnection(files, id);
    },
  });
  if (activeId(settings.data) === EMBEDDED) embedded.prepare();

  hardenSession(session.defaultSession, log);
  serveApp(paths.renderer);
  window = openMainWindow({
    preload: paths.preload,
    saved: settings.data.window,
    size: switches.size,
    save: (state) => {
      settings.update({ window: state }).catch((error: unknown) => {
        log.error({ err: error }, 'the window’s position could not be saved');
      });
    },
  });
  reportVisibility(window, push);
  const recovery = recoverPage(window, { unsaved, log });
  // The page loads while the rest of the app is created. The page's first requests wait until the rest is ready.
  let begin: (handlers: Handlers) => void = () => undefined;
  const handlers = new Promise<Handlers>((resolve) => (begin = resolve));
  serveRequests(window, { ready: handlers, choice: () => connections.choice, log });
  const shown = show(window, {
    screenshot: switches.screenshot,
    route: settings.data.memory[ROUTE_KEY] ?? '',
  });
  // The error of a failed load is handled below, where the promise is awaited.
  shown.catch(() => undefined);
  files = await openFileServices({ link, settings, dataFolder: paths.userData, push, ask, log });
  const installs = openInstalls({
    settings,
    connections,
    identity,
    ask,
    push,
    log,
    // Packages from the folder of `--packages` are used as they are. The app never builds them.
    ...(switches.packages === null ? paths : { packages: switches.packages, checkout: null }),
  });
  const context: AppContext = {
    window,
    push,
    log,
    paths,
    settings,
    identity,
    link,
    connections,
    files,
    installs,
    unsaved,
  };
  begin(allHandlers(context));
  setMenu(push, paths.docs);
  background = openBackground(context, { ask, quiet: switches.screenshot !== null });
  connections.start();
  readSshAhead().catch((error: unknown) => {
    log.error({ err: error }, 'the SSH code could not be preloaded');
  });
  // After sleep all connections are dead; waiting for the back-off would only delay the user.
  powerMonitor.on('resume', () => link.retry());
  const onCancel = () => recovery.handleQuitCancelled();
  const quit = openQuit(context, { embedded, background, onCancel }, switches);
  await shown.then(
    (finished) => {
      if (finished) quit.begin(0);
    },
    (error: unknown) => {
      log.fatal({ err: error }, 'the window could not be shown');
      writeToStderr(error instanceof Error ? error.message : String(error));
      quit.begin(1);
    },
  );
}

function makeEmbeddedSide({
  paths,
  identity,
  log,
  ...rest
}: InstallationContext & Pick<ConnectionContext, 'link'>): EmbeddedConnection {
  const masterLog = new RotatingFile(join(paths.logs, 'master.log'));
  const dataFolder = join(paths.userData, 'master');
  return new EmbeddedConnection({
    ...rest,
    dataFolder,
    identity,
    log,
    fork: () =>
      forkMaster({ start: paths.start, program: paths.master, compiled: paths.compiled }, [
        'run',
        ...['--data', dataFolder],
        ...['--ssh-host', '127.0.0.1'],
        ...['--ssh-port', '0'],
        ...['--owner-key', identity.publicKey],
        // The embedded master runs on a person's own computer as that person's user, not on a server (docs/adr/0037).
        // On Windows, it cannot run services on the computer (docs/adr/0008).
        process.platform === 'win32' ? '--no-local' : '--local-unsafe',
        '--announce',
      ]),
    writeLog: (text) => masterLog.write(text),
  });
}

function openQuit(
  context: AppContext,
  others: Pick<QuitOptions, 'embedded' | 'background' | 'onCancel'>,
  switches: Switches,
): Quit {
  const { window } = context;
  const quit = new Quit({
    ...context,
    ...others,
    // A size given on the command line is not saved as the user's choice.
    lastSettings: () =>
      switches.size === null && !window.isDestroyed() ? { window: windowState(window) } : {},
    override: switches.onQuit,
    unattended: switches.screenshot !== null,
  });
  quit.listen();
  app.on('second-instance', () => showWindow(window));
  // macOS: a click on the dock icon.
  app.on('activate', () => showWindow(window));
  return quit;
}

/**
 * Loads the page, and takes the screenshot if one is requested.
 *
 * @returns whether a screenshot was taken; the app then exits
 */
async function show(
  window: BrowserWindow,
  { screenshot, route }: { readonly screenshot: string | null; readonly route: string },
): Promise<boolean> {
  if (screenshot === null) {
    await loadPage(window.webContents, route);
    return false;
  }
  await takeScreenshot(window, screenshot);
  return true;
}
