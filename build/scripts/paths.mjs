import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the project's folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Output of builds; never in git. */
export const dist = join(root, 'dist');

/** The practice server, built from `master/practice/server`. */
export const practiceServerJar = join(dist, 'practice-server.jar');

/** The practice proxy, built from `master/practice/proxy`. */
export const practiceProxyJar = join(dist, 'practice-proxy.jar');

/** The plugin for proxies and game servers, built from `master/plugin`; the built master includes a copy. */
export const pluginJar = join(dist, 'plugin', 'overworld.jar');

/** Reports of the test runners, from which tests are counted. */
export const testResults = join(root, 'test-results');

/**
 * Returns the folder for downloads that clones share (the fallback Electron, notes about failed downloads).
 *
 * @returns `$XDG_CACHE_HOME/overworld`, else `~/.cache/overworld`; it need not exist
 */
export function cacheFolder() {
  const base = process.env['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'overworld');
}

/** Third-party clients for tests. They are packages of their own, because nothing that ships may use them. */
export const testPeers = join(root, 'test', 'peers');
