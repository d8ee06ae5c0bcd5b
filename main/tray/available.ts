import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * D-Bus name that is queried first, because requesting a tray icon without a host raises no error (freedesktop
 * StatusNotifierItem).
 */
const WATCHER = 'org.kde.StatusNotifierWatcher';
const ASK_TIMEOUT_MS = 2000;

/**
 * Returns why this system has no tray, or null if it has one. Windows and macOS always have one; on Linux the
 * session bus tells whether a host shows icons.
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
    return `the session's bus cannot be asked (${error instanceof Error ? error.message.split('\n')[0] : 'unknown'})`;
  }
}
