import { join } from 'node:path';
import { app } from 'electron';
import { compiledFolder } from './start/compiled-folder.ts';

/** Files the build puts beside the app's own code. */
export interface AppPaths {
  readonly preload: string;
  /** Starts programs as they were compiled before (main/start). */
  readonly start: string;
  /** The window's page and all it loads. */
  readonly renderer: string;
  /** Entry of the bundled master. */
  readonly master: string;
  readonly practiceServer: string;
  readonly practiceProxy: string;
  /** First page of the documentation. */
  readonly docs: string;
  /** Everything the app keeps for this user. */
  readonly userData: string;
  readonly logs: string;
  /** Programs as V8 has compiled them, for the next start. */
  readonly compiled: string;
}

/**
 * Where things are. In a packaged app the master, practice server and practice proxy lie in `resources/`, outside the archive:
 * other programs (the JVM) must be able to read them.
 */
export function appPaths(): AppPaths {
  const dist = join(app.getAppPath(), 'dist');
  const bundled = app.isPackaged ? process.resourcesPath : dist;
  const userData = app.getPath('userData');
  return {
    start: join(dist, 'start', 'index.cjs'),
    preload: join(dist, 'preload', 'preload.cjs'),
    renderer: join(dist, 'renderer'),
    master: join(bundled, 'master', 'index.js'),
    practiceServer: join(bundled, 'practice-server.jar'),
    practiceProxy: join(bundled, 'practice-proxy.jar'),
    docs: join(app.isPackaged ? process.resourcesPath : app.getAppPath(), 'docs', 'README.md'),
    userData,
    logs: join(userData, 'logs'),
    compiled: compiledFolder(userData),
  };
}
