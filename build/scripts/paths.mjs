import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, absolute. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** What builds write; never in git. */
export const dist = join(root, 'dist');

/** The file that the app's main process starts from, relative to {@link root} as package.json `main`. */
export const mainEntry = join(dist, 'main', 'index.js');

/** The practice server, built from `build/practice-server`. */
export const practiceServerJar = join(dist, 'practice-server.jar');

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
