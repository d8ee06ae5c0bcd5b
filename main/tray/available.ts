import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Who asks for a tray icon where nobody shows one gets no error: so it is asked first (freedesktop StatusNotifierItem). */
const WATCHER = 'org.kde.StatusNotifierWatcher';
const ASK_TIMEOUT_MS = 2000;

/**
 * Why there is no tray on this system, or null when there is one. Windows and macOS always have one; on Linux the session's
 * bus knows whether somebody shows icons.
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
    return stdout.includes('true') ? null : 'nothing on this desktop shows tray icons';
  } catch (error) {
    return `the session's bus cannot be asked (${error instanceof Error ? error.message.split('\n')[0] : 'unknown'})`;
  }
}
