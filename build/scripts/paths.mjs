import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the project's folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Folder for the output of builds. It is not in git. */
export const dist = join(root, 'dist');

/** Path of the practice server's jar, built from `master/practice/server`. */
export const practiceServerJar = join(dist, 'practice-server.jar');

/** Path of the practice proxy's jar, built from `master/practice/proxy`. */
export const practiceProxyJar = join(dist, 'practice-proxy.jar');

/**
 * Path of the jar of the plugin for proxies and game servers, built from `master/plugin`. The built master includes a
 * copy.
 */
export const pluginJar = join(dist, 'plugin', 'overworld.jar');

/** Folder of the test runners' reports, from which the results are counted. */
export const testResults = join(root, 'test-results');

/**
 * Returns the folder for cached files that all of a user's clones of the repository share, such as the fallback
 * Electron and notes about failed downloads.
 *
 * @returns `$XDG_CACHE_HOME/overworld`, else `~/.cache/overworld`; it need not exist
 */
export function cacheFolder() {
  const base = process.env['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'overworld');
}

/**
 * Folder of the third-party clients for tests. The clients are npm packages separate from the project's own, because
 * nothing that ships may use them.
 */
export const testPeers = join(root, 'test', 'peers');
