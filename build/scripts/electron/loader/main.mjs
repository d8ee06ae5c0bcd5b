/**
 * The default app of the fallback Electron, called as `electron [-r FILE] <folder or file> [arguments]`. Loads the
 * given app in the same way as the default app of an official build. `-v` prints the version, `-a` the ABI.
 */
import { app as publicApp } from 'electron/main';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Electron's `app` with some setters that Electron's types omit, because only Electron's own default app uses them. */
const app =
  /** @type {typeof publicApp & { setAppPath(path: string): void, setVersion(version: string): void, setDesktopName(name: string): void }} */ (
    publicApp
  );

const { target, preloads } = parse(process.argv.slice(1));
Object.assign(process, { defaultApp: true });

if (target === null) {
  console.error('electron: name the app to run, as in "electron <folder>".');
  process.exit(1);
}
try {
  const require = createRequire(join(process.cwd(), 'electron.js'));
  for (const file of preloads) require(file);
  // Awaited at the top level, because Electron delays `ready` until the app's own code has run.
  await import(pathToFileURL(adopt(resolve(target))).href);
} catch (error) {
  console.error('App threw an error during load');
  console.error(error);
  process.exit(1);
}

/**
 * Separates the loader's own switches from the other arguments. Arguments after the app's path belong to the app.
 *
 * @param {string[]} args
 * @returns {{ target: string | null, preloads: string[] }} `target`: path of the app; null if the arguments name none
 */
function parse(args) {
  const preloads = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === '-v' || arg === '--version') end(`v${process.versions['electron']}`);
    else if (arg === '-a' || arg === '--abi') end(process.versions.modules);
    else if (arg === '-r' || arg === '--require') preloads.push(args[(index += 1)] ?? '');
    else if (arg.startsWith('--app=')) return { target: arg.slice('--app='.length), preloads };
    else if (!arg.startsWith('-')) return { target: arg, preloads };
  }
  return { target: null, preloads };
}

/**
 * Prints a line and exits with code 0.
 *
 * @param {string} line
 * @returns {never}
 */
function end(line) {
  console.log(line);
  process.exit(0);
}

/**
 * Sets the app's name, version and path from its own manifest, if it has one.
 *
 * @param {string} path folder or file
 * @returns {string} the file to load
 */
function adopt(path) {
  app.setAppPath(path);
  const manifest = readManifest(path);
  if (manifest === null) return path;
  const name = manifest.productName ?? manifest.name;
  if (name !== undefined) app.setName(name);
  if (manifest.version !== undefined) app.setVersion(manifest.version);
  if (manifest.desktopName !== undefined) app.setDesktopName(manifest.desktopName);
  return join(path, manifest.main ?? 'index.js');
}

/**
 * Reads the package.json of an app. Null if it is missing or faulty.
 *
 * @param {string} folder
 * @returns {{ name?: string, productName?: string, version?: string, desktopName?: string, main?: string } | null}
 */
function readManifest(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch {
    return null;
  }
}
