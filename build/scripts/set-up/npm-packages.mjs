import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { npmReason, npm } from '../run.mjs';
import { hashOf, readStamp, writeStamp } from '../stamp.mjs';
import { SetupError } from '../steps.mjs';

/**
 * Installs the npm packages of a folder with the exact versions of its lock file, unless they are already installed.
 *
 * @param {string} [folder] contains package.json and package-lock.json; default: the project's folder
 * @returns {Promise<string>} outcome in a few words
 * @throws {SetupError} if npm fails; the next call then installs all packages again
 */
export async function installPackages(folder = root) {
  const stamp = join(folder, 'node_modules', '.overworld-stamp');
  const wanted = hashOf(folder, ['package.json', 'package-lock.json']);
  if (readStamp(stamp) === wanted) return 'ready';
  // A person may have run npm manually, so that the right packages are already installed.
  if (matchesLock(folder)) {
    writeStamp(stamp, wanted);
    return 'ready';
  }
  const { code, output } = await npm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    env: { ...process.env, ELECTRON_SKIP_BINARY_DOWNLOAD: '1', PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
  });
  if (code !== 0) {
    throw new SetupError(
      `The npm packages of ${folder} could not be installed (${npmReason(output)}); check the network and the npm registry, then start again.`,
    );
  }
  writeStamp(stamp, wanted);
  return 'installed';
}

/**
 * Returns whether npm itself has recorded an installation equal to the lock file. npm writes its record last, so a
 * partial installation has no record or an older one.
 *
 * @param {string} folder
 */
function matchesLock(folder) {
  const wanted = readLock(join(folder, 'package-lock.json'));
  const present = readLock(join(folder, 'node_modules', '.package-lock.json'));
  if (wanted === null || present === null) return false;
  const installed = Object.entries(wanted).filter(([path]) => path !== '');
  return (
    Object.keys(present).every((path) => path in wanted) &&
    installed.every(([path, entry]) => {
      const found = present[path];
      // Optional packages for other platforms are in the lock file but not on disk.
      return found === undefined ? entry.optional === true : found.integrity === entry.integrity;
    })
  );
}

/**
 * Reads the packages of a package-lock.json. Null if it is missing or faulty.
 *
 * @param {string} file
 * @returns {Record<string, { integrity?: string; optional?: boolean }> | null} package folder -> entry
 */
function readLock(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return null;
  }
}
