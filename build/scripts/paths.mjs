import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, absolute. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** What builds write; never in git. */
export const dist = join(root, 'dist');

/** The practice server, built from `master/practice/server`. */
export const practiceServerJar = join(dist, 'practice-server.jar');

/** The practice proxy, built from `master/practice/proxy`. */
export const practiceProxyJar = join(dist, 'practice-proxy.jar');

/** The plugin for proxies and game servers, built from `master/plugin`; a copy lies beside the built master. */
export const pluginJar = join(dist, 'plugin', 'overworld.jar');

/** Reports of the test runners, read for counting. */
export const testResults = join(root, 'test-results');

/**
 * Folder for what is fetched once and kept between clones (the fallback Electron, notes about failed downloads).
 *
 * @returns `$XDG_CACHE_HOME/overworld`, else `~/.cache/overworld`; it need not exist
 */
export function cacheFolder() {
  const base = process.env['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'overworld');
}

/** Foreign clients that tests play against ours; packages of their own, as nothing that ships may use them. */
export const testPeers = join(root, 'test', 'peers');
