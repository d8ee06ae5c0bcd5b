import { join } from 'node:path';

/**
 * Returns the folder for compiled forms of our programs.
 *
 * @param userData absolute path of the app's data folder
 */
export function compiledFolder(userData: string): string {
  return join(userData, 'compiled');
}
