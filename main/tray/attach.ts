import type { Link } from '#shared/ipc/contract.ts';
import type { MasterNotification } from '../connections/rpc-client.ts';
import { showNote } from '../notifications/show.ts';
import { NotificationWatch } from '../notifications/watch.ts';
import type { ConnectionContext, InstallationContext, WindowContext } from '../context/app-context.ts';
import { NetworkCount } from './count.ts';
import { openTray, type AppTray } from './tray.ts';

/** Tray and notifications: what the app does while nobody looks at its window. */
export interface Background {
  heardLink(link: Link): void;
  heard(notification: MasterNotification): void;
  /** Whether closing the window leaves the app in the tray. True if the preference is on and the system has a tray. */
  readonly staysInTray: boolean;
  close(): void;
}

/** Delay of the tray icon after the window is usable, so that it does not slow the launch (ms). */
const TRAY_AFTER_MS = 1500;

/**
 * Opens the tray icon and starts the notifications.
 *
 * @param quiet whether nobody uses the app, because a screenshot is taken
 */
export function openBackground(
  { window, push, link, settings, log }: WindowContext & InstallationContext & ConnectionContext,
  quiet: boolean,
): Background {
  let tray: AppTray | null = null;
  const watch = new NotificationWatch({
    link,
    log,
    preferences: () => settings.data.notifications,
    isSeen: () => !window.isDestroyed() && window.isFocused(),
    show: (note) => {
      log.info({ note }, 'told by the system');
      showNote(note, window, push);
    },
  });
  const count = new NetworkCount({ link, log, onLine: (line) => tray?.setLine(line) });
  const timer = quiet
    ? undefined
    : setTimeout(() => {
        openTray(window, log).then(
          (opened) => {
            tray = opened;
            if (tray !== null) count.heardLink(link.link);
          },
          (error: unknown) => log.warn({ err: error }, 'the tray icon could not be made'),
        );
      }, TRAY_AFTER_MS);
  return {
    heardLink: (state) => {
      watch.heardLink(state);
      if (tray !== null) count.heardLink(state);
    },
    heard: (notification) => {
      watch.heard(notification);
      if (tray !== null) count.heard(notification);
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
