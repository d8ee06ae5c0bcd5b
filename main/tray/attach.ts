import type { Link } from '#shared/ipc/contract.ts';
import type { MasterNotification } from '../connections/rpc-client.ts';
import { openNote } from '../notifications/open.ts';
import { showNote } from '../notifications/show.ts';
import { NotificationWatch } from '../notifications/watch.ts';
import type { ConnectionContext, InstallationContext, WindowContext } from '../context/app-context.ts';
import { showWindow } from '../window/show.ts';
import { TrayLine } from './tray-line.ts';
import { openTray, type AppTray } from './tray.ts';

/** Tray and notifications, which inform a person who does not use the window at the moment. */
export interface Background {
  applyLink(link: Link): void;
  handleNotification(notification: MasterNotification): void;
  /** Whether the app stays in the tray when its window is closed: the preference is on, and a tray icon is shown. */
  readonly staysInTray: boolean;
  close(): void;
}

/** Delay before the tray icon is created (ms), so that it does not slow the launch. */
const TRAY_AFTER_MS = 1500;

/**
 * Opens the tray icon and starts the notifications.
 *
 * @param quiet whether no user is present, because a script takes a screenshot
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
  quiet: boolean,
): Background {
  let tray: AppTray | null = null;
  const use = async (connection: string): Promise<void> => {
    // The switch reloads the page, which can be loaded before the settings are on disk.
    const loaded = new Promise<void>((resolve) => {
      window.webContents.once('did-finish-load', () => resolve());
    });
    await connections.use(connection);
    await loaded;
  };
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
          unsaved,
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
      watch.applyLink(state);
      if (tray !== null) count.applyLink(state);
    },
    handleNotification: (notification) => {
      watch.handleNotification(notification);
      if (tray !== null) count.handleNotification(notification);
    },
    get staysInTray() {
      return tray !== null && settings.data.closeToTray;
    },
    close: () => {
      clearTimeout(timer);
      watch.close();
      count.close();
    },
  };
}
