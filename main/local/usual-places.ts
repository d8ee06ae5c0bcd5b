import { homedir } from 'node:os';
import { app } from 'electron';
import { closedPaths } from './closed-paths.ts';

/**
 * Returns the home folder and its usual subfolders, as the system names them. Leaves out those that the system does
 * not define.
 */
export function usualPlaces(): { readonly name: string; readonly path: string }[] {
  const folders = [
    ['Home', 'home'],
    ['Desktop', 'desktop'],
    ['Documents', 'documents'],
    ['Downloads', 'downloads'],
  ] as const;
  return folders.flatMap(([name, key]) => folderOf(key).map((path) => ({ name, path })));
}

/** Returns a list with the path of the system's downloads folder. The list is empty if the system defines none. */
export function downloadsFolder(): string[] {
  return folderOf('downloads');
}

/** Returns the paths of keys and logins that belong to programs on this computer. The window may not access them. */
export function closedHere(): string[] {
  const { env, platform } = process;
  return closedPaths({ home: homedir(), settings: app.getPath('appData'), platform, environment: env });
}

function folderOf(key: 'home' | 'desktop' | 'documents' | 'downloads'): string[] {
  try {
    return [app.getPath(key)];
  } catch {
    // Electron throws if the system does not define the folder.
    return [];
  }
}
