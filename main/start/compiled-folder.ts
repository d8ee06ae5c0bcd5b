import { join } from 'node:path';

/**
 * Returns the folder for the code caches that V8 makes of the app's programs. Returns '' for an installed app on
 * systems other than Linux. On these systems, Electron checks the hash of the app's archive, and code beside the
 * archive would bypass this check (docs/adr/0043).
 *
 * @param userData absolute path of the app's data folder
 * @param isPackaged whether this is an installed app
 */
export function compiledFolder(userData: string, isPackaged: boolean, platform = process.platform): string {
  return isPackaged && platform !== 'linux' ? '' : join(userData, 'compiled');
}
