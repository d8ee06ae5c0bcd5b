import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * D-Bus name that exists if the desktop supports tray icons. It is queried first, because Electron reports no error
 * if no desktop component shows the icon (freedesktop StatusNotifierItem).
 */
const WATCHER = 'org.kde.StatusNotifierWatcher';
const ASK_TIMEOUT_MS = 2000;

/**
 * Returns why this system has no tray. Null if it has one. Windows and macOS always have a tray. On Linux, asks the
 * session bus and waits at most 2 s.
 */
export async function whyNoTray(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  if (platform !== 'linux') return null;
  if ((env['DBUS_SESSION_BUS_ADDRESS'] ?? '') === '') return 'the session has no bus';
  const question = [
    '--session',
    '--print-reply=literal',
    '--dest=org.freedesktop.DBus',
    '/org/freedesktop/DBus',
  ];
  try {
    const { stdout } = await promisify(execFile)(
      'dbus-send',
      [...question, 'org.freedesktop.DBus.NameHasOwner', `string:${WATCHER}`],
      { timeout: ASK_TIMEOUT_MS },
    );
    return stdout.includes('true') ? null : 'this desktop does not show tray icons';
  } catch (error) {
    return `the session's bus cannot be queried (${error instanceof Error ? error.message.split('\n')[0] : 'unknown'})`;
  }
}
