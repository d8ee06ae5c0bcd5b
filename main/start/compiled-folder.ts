import { join } from 'node:path';

/** Where the compiled forms of our programs are kept. @param userData folder of everything the app keeps, absolute */
export function compiledFolder(userData: string): string {
  return join(userData, 'compiled');
}
