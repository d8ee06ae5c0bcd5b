import { join } from 'node:path';
import { app } from 'electron';
import { compiledFolder } from '../start/compiled-folder.ts';

/** Files that the build puts next to the app's own code. */
export interface AppPaths {
  readonly preload: string;
  /** Script that runs programs with V8's code cache (main/start). */
  readonly start: string;
  /** Folder of the window's page and its assets. */
  readonly renderer: string;
  /** Program of the embedded master. */
  readonly master: string;
  readonly practiceServer: string;
  readonly practiceProxy: string;
  /** Folder of the master's packages, which the app installs on servers. */
  readonly packages: string;
  /** Root folder of the checkout that the app runs from. Null if the app is packaged. */
  readonly checkout: string | null;
  /** First page of the documentation. */
  readonly docs: string;
  /** Folder of all data that the app stores for this user. */
  readonly userData: string;
  readonly logs: string;
  /** Folder of the code caches that V8 writes for the next start. */
  readonly compiled: string;
}

/**
 * Returns the paths of the app's files. In a packaged app, the master, the practice server and the practice proxy are
 * in `resources/`, outside the archive. Otherwise, other programs (the JVM) could not read them.
 */
export function appPaths(): AppPaths {
  const dist = join(app.getAppPath(), 'dist');
  const bundled = app.isPackaged ? process.resourcesPath : dist;
  const userData = app.getPath('userData');
  return {
    start: join(dist, 'start', 'index.cjs'),
    preload: join(dist, 'preload', 'preload.cjs'),
    renderer: join(dist, 'renderer'),
    // The app runs `master.js` directly. The usual entry script only checks the version of Node.js, and the app has
    // its own.
    master: join(bundled, 'master', 'master.js'),
    practiceServer: join(bundled, 'practice-server.jar'),
    practiceProxy: join(bundled, 'practice-proxy.jar'),
    packages: app.isPackaged ? join(process.resourcesPath, 'packages') : join(app.getAppPath(), 'release'),
    checkout: app.isPackaged ? null : app.getAppPath(),
    docs: join(app.isPackaged ? process.resourcesPath : app.getAppPath(), 'docs', 'README.md'),
    userData,
    logs: join(userData, 'logs'),
    compiled: compiledFolder(userData, app.isPackaged),
  };
}
