import { join } from 'node:path';
import { electronRuntime } from '../electron/runtime.mjs';
import { root } from '../paths.mjs';
import { run } from '../run.mjs';
import { setUp } from '../set-up/set-up.mjs';
import { SetupError } from '../steps.mjs';

/**
 * `npm run dist`: sets up, builds, and lets electron-builder make the packages of electron-builder.yml in
 * `release/`.
 *
 * @param {readonly string[]} args for electron-builder: `--dir` for the bare folder, `--linux deb`, …
 * @returns {Promise<number>} exit code
 * @throws {SetupError}
 */
export async function makePackages(args) {
  await setUp();
  const { kind, dist, version } = electronRuntime();
  // Otherwise electron-builder would download its own Electron.
  const electron = [`-c.electronDist=${dist}`, `-c.electronVersion=${version}`];
  if (kind === 'fallback') {
    console.log(`${'packages'.padEnd(16)}with the fallback Electron ${version}: to try out, not to publish`);
  }
  const cli = join(root, 'node_modules', 'electron-builder', 'cli.js');
  const { code } = await run(process.execPath, [cli, '--publish', 'never', ...electron, ...args], {
    show: true,
  });
  if (code !== 0) {
    throw new SetupError('electron-builder could not make the packages; its own lines above say why.');
  }
  return 0;
}
