import { app } from 'electron';

/** The home folder and the usual ones in it, as the system names them. Those it does not have are left out. */
export function usualPlaces(): { readonly name: string; readonly path: string }[] {
  const folders = [
    ['Home', 'home'],
    ['Desktop', 'desktop'],
    ['Documents', 'documents'],
    ['Downloads', 'downloads'],
  ] as const;
  return folders.flatMap(([name, key]) => {
    try {
      return [{ name, path: app.getPath(key) }];
    } catch {
      // Electron throws where the system has no such folder.
      return [];
    }
  });
}
