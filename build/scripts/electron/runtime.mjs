import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { cacheFolder, root } from '../paths.mjs';
import { SetupError } from '../steps.mjs';

/**
 * An installed Electron.
 *
 * @typedef {object} ElectronRuntime
 * @property {'given' | 'official' | 'fallback'} kind `given`: the folder named by ELECTRON_OVERRIDE_DIST_PATH
 * @property {string} dist absolute path of the folder that contains the executable
 * @property {string} executable absolute path
 * @property {string} version such as `45.4.1`; empty if the folder has no version file
 */

/** Electron version of the fallback. */
export const fallbackVersion = '33.2.1';

/**
 * Version of the steps that make the fallback. Increase it when the steps change, so that outdated cached copies are
 * not used.
 */
const fallbackRecipe = 1;

/** Returns the folder of the fallback Electron, whether it exists or not. */
export function fallbackFolder() {
  return join(cacheFolder(), `electron-${fallbackVersion}-linux-x64-r${fallbackRecipe}`);
}

/** Returns the Electron version of package.json. */
export function declaredVersion() {
  const require = createRequire(join(root, 'package.json'));
  return String(JSON.parse(readFileSync(require.resolve('electron/package.json'), 'utf8')).version);
}

/**
 * Finds the Electron to run: the Electron in ELECTRON_OVERRIDE_DIST_PATH, or else the official download, or else the
 * fallback (docs/adr/0002).
 *
 * @returns {ElectronRuntime | null} null if none is installed
 */
export function findElectron() {
  return findGiven() ?? findOfficial() ?? findFallback();
}

/**
 * Returns the Electron to run. Scripts, tests and packaging all use it.
 *
 * @throws {SetupError} if none is installed
 * @returns {ElectronRuntime}
 */
export function electronRuntime() {
  const found = findElectron();
  if (found === null) {
    throw new SetupError('Electron is not installed; run "npm start" or "npm test" once, they install it.');
  }
  return found;
}

/**
 * Returns the absolute path of the Electron executable.
 *
 * @throws {SetupError} if none is installed
 */
export function electronExecutable() {
  return electronRuntime().executable;
}

/**
 * Finds the Electron in ELECTRON_OVERRIDE_DIST_PATH. Null if there is none.
 *
 * @returns {ElectronRuntime | null}
 */
function findGiven() {
  const given = process.env['ELECTRON_OVERRIDE_DIST_PATH'];
  return given === undefined || given === '' ? null : describe('given', given, 'electron');
}

/**
 * Finds an official download of the declared version. It is complete if `path.txt` exists, because Electron's installer
 * writes this file last.
 *
 * @returns {ElectronRuntime | null} null if there is none
 */
export function findOfficial() {
  const folder = join(root, 'node_modules', 'electron');
  try {
    const runtime = describe(
      'official',
      join(folder, 'dist'),
      readFileSync(join(folder, 'path.txt'), 'utf8'),
    );
    return runtime?.version === declaredVersion() ? runtime : null;
  } catch {
    return null;
  }
}

/**
 * Finds the fallback Electron in the cache. Null if there is none.
 *
 * @returns {ElectronRuntime | null}
 */
export function findFallback() {
  return describe('fallback', fallbackFolder(), 'electron');
}

/**
 * Describes the Electron in a folder. Null if the folder does not contain the executable.
 *
 * @param {ElectronRuntime['kind']} kind
 * @param {string} dist
 * @param {string} name
 * @returns {ElectronRuntime | null}
 */
function describe(kind, dist, name) {
  const executable = join(dist, name);
  if (!existsSync(executable)) return null;
  return { kind, dist, executable, version: readVersion(dist) ?? readVersion(dirname(executable)) ?? '' };
}

/**
 * Reads the version file of an Electron. Null if there is none.
 *
 * @param {string} dist
 */
function readVersion(dist) {
  try {
    return readFileSync(join(dist, 'version'), 'utf8').trim().replace(/^v/, '');
  } catch {
    return null;
  }
}
