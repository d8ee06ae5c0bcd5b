import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { setUp, setUpMaster } from '../set-up/set-up.mjs';
import { step } from '../steps.mjs';
import { buildApp } from './app/build-app.mjs';
import { makeApp } from './app/make-app.mjs';
import { writeSums } from './contents/sums.mjs';
import { makeMaster } from './master/make-master.mjs';

/**
 * `npm run dist`: sets up, builds, and makes the artefacts of app and master in `release/`, with their bills of
 * materials and `SHA256SUMS`. The master's artefacts are made first, because the app carries the master's packages for
 * servers. The master's artefacts are made on Linux only.
 *
 * @param {readonly string[]} args none for everything; `--master` or `--app` for the artefacts of one of them;
 *   otherwise options of electron-builder: `--dir` for the app's bare folder, `--linux AppImage`, …
 * @returns {Promise<number>} exit code
 * @throws {import('../steps.mjs').SetupError}
 */
export async function makePackages(args) {
  const release = join(root, 'release');
  await mkdir(release, { recursive: true });
  const [only] = args;
  if (only === '--master') await setUpMaster();
  else await setUp();
  if (only !== undefined && only !== '--master' && only !== '--app') {
    await buildApp(args);
    return 0;
  }
  if (only === '--master' || (only === undefined && process.platform === 'linux')) await makeMaster(release);
  if (only !== '--master') await makeApp(release);
  await step('sums', async () => `${await writeSums(release)} artefacts in SHA256SUMS`);
  return 0;
}
