import { join } from 'node:path';

/**
 * Returns the folder for the code caches that V8 makes of the app's programs.
 *
 * @param userData absolute path of the app's data folder
 */
export function compiledFolder(userData: string): string {
  return join(userData, 'compiled');
}
