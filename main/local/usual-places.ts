import { homedir } from 'node:os';
import { app } from 'electron';
import { closedPaths } from './closed-paths.ts';

/** The home folder and the usual ones in it, as the system names them. Those it does not have are left out. */
export function usualPlaces(): { readonly name: string; readonly path: string }[] {
  const folders = [
    ['Home', 'home'],
    ['Desktop', 'desktop'],
    ['Documents', 'documents'],
    ['Downloads', 'downloads'],
  ] as const;
  return folders.flatMap(([name, key]) => folderOf(key).map((path) => ({ name, path })));
}

/** The folder that programs of this computer download to; none where the system has no such. */
export function downloadsFolder(): string[] {
  return folderOf('downloads');
}

/** Where this computer's programs keep keys and logins: closed to the window. */
export function closedHere(): string[] {
  const { env, platform } = process;
  return closedPaths({ home: homedir(), settings: app.getPath('appData'), platform, environment: env });
}

function folderOf(key: 'home' | 'desktop' | 'documents' | 'downloads'): string[] {
  try {
    return [app.getPath(key)];
  } catch {
    // Electron throws where the system has no such folder.
    return [];
  }
}
