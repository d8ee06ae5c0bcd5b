import type { Link } from '#shared/ipc/contract.ts';
import type { MasterNotification } from '../connections/rpc-client.ts';
import { openNote } from '../notifications/open.ts';
import { showNote } from '../notifications/show.ts';
import { NotificationWatch } from '../notifications/watch.ts';
import type { ConnectionContext, InstallationContext, WindowContext } from '../context/app-context.ts';
import type { Ask } from '../window/ask.ts';
import { reloadBy } from '../window/load-page.ts';
import { showWindow } from '../window/show.ts';
import { questionAboutNote } from '../window/unsaved.ts';
import { TrayLine } from './tray-line.ts';
import { openTray, type AppTray } from './tray.ts';

/** Tray and notifications, which inform a person who does not use the window at the moment. */
export interface Background {
  applyLink(link: Link): void;
  handleNotification(notification: MasterNotification): void;
  /** Whether the app stays in the tray when its window is closed: the preference is on, and a tray icon is shown. */
  readonly staysInTray: boolean;
  /** Ends the notifications and the updates of the tray. From then on, a click on a notification does nothing. */
  close(): void;
}

/** Delay before the tray icon is created (ms), so that it does not slow the launch. */
const TRAY_AFTER_MS = 1500;

/**
 * Opens the tray icon and starts the notifications.
 *
 * @param options `ask` asks the person in a dialog of the system; `quiet` says that no user is present, because a
 *   script takes a screenshot
 */
export function openBackground(
  {
    window,
    push,
    unsaved,
    link,
    connections,
    settings,
    log,
  }: WindowContext & InstallationContext & ConnectionContext,
  { ask, quiet }: { readonly ask: Ask; readonly quiet: boolean },
): Background {
  let tray: AppTray | null = null;
  let isClosed = false;
  const mayLeave = async (connection: string): Promise<boolean> => {
    const name = connections.list().find(({ id }) => id === connection)?.name;
    // Without a name, the connection was removed, and the switch to it fails.
    const question = name === undefined ? null : questionAboutNote(name, unsaved.names);
    return question === null || (await ask(question)).confirmed;
  };
  // The switch reloads the page, which can be loaded before the settings are on disk.
  const use = (connection: string): Promise<void> =>
    reloadBy(window.webContents, () => connections.use(connection));
  const watch = new NotificationWatch({
    link,
    log,
    preferences: () => settings.data.notifications,
    isSeen: () => !window.isDestroyed() && window.isFocused(),
    show: (note) => {
      log.info({ note }, 'the system shows a notification');
      showNote(note, () => {
        openNote(note, {
          connection: () => link.link.connection,
          isClosed: () => isClosed,
          mayLeave,
          use,
          showWindow: () => showWindow(window),
          navigate: (route) => push('navigate', { route }),
        }).catch((error: unknown) => log.warn({ err: error, note }, 'the notification could not be opened'));
      });
    },
  });
  const count = new TrayLine({ link, log, onLine: (line) => tray?.setLine(line) });
  const timer = quiet
    ? undefined
    : setTimeout(() => {
        openTray(window, log).then(
          (opened) => {
            tray = opened;
            if (tray !== null) count.applyLink(link.link);
          },
          (error: unknown) => log.warn({ err: error }, 'the tray icon could not be created'),
        );
      }, TRAY_AFTER_MS);
  return {
    applyLink: (state) => {
      if (isClosed) return;
      watch.applyLink(state);
      if (tray !== null) count.applyLink(state);
    },
    handleNotification: (notification) => {
      if (isClosed) return;
      watch.handleNotification(notification);
      if (tray !== null) count.handleNotification(notification);
    },
    get staysInTray() {
      return tray !== null && settings.data.closeToTray;
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      watch.close();
      count.close();
    },
  };
}
