import { join } from 'node:path';
import { electronRuntime } from '../../electron/runtime.mjs';
import { root } from '../../paths.mjs';
import { run } from '../../run.mjs';
import { SetupError } from '../../steps.mjs';
import { isRelease } from '../project-facts.mjs';

/**
 * Runs electron-builder with electron-builder.yml. The results are in `release/`.
 *
 * @param {readonly string[]} args options of electron-builder: `--dir` for the bare folder, `--linux AppImage`, …
 * @throws {SetupError}
 */
export async function buildApp(args) {
  const { kind, dist, version } = electronRuntime();
  // Otherwise electron-builder would download its own Electron.
  const electron = [`-c.electronDist=${dist}`, `-c.electronVersion=${version}`];
  if (kind === 'fallback') {
    if (isRelease()) {
      throw new SetupError(
        `A release needs the official Electron, and only the fallback ${version} could be downloaded (docs/adr/0002).`,
      );
    }
    console.log(`${'packages'.padEnd(16)}with the fallback Electron ${version}: to try out, not to publish`);
  }
  const cli = join(root, 'node_modules', 'electron-builder', 'cli.js');
  const { code } = await run(process.execPath, [cli, '--publish', 'never', ...electron, ...args], {
    show: true,
  });
  if (code !== 0) {
    throw new SetupError('electron-builder could not make the packages; its own lines above say why.');
  }
}
