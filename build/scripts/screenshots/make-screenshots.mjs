import { join } from 'node:path';
import { openDisplay } from '../display.mjs';
import { root } from '../paths.mjs';
import { run } from '../run.mjs';
import { setUp } from '../set-up/set-up.mjs';

/**
 * Sets up and builds the app, and runs `screenshots.ts`, which photographs it.
 *
 * @param {readonly string[]} only names of pictures to make; if empty, all are made
 * @returns {Promise<number>} exit code
 * @throws {import('../steps.mjs').SetupError}
 */
export async function makeScreenshots(only) {
  await setUp({ forTests: true });
  const display = await openDisplay();
  try {
    const tsx = join(root, 'node_modules', 'tsx', 'dist', 'cli.mjs');
    const { code } = await run(
      process.execPath,
      [tsx, join(root, 'build', 'scripts', 'screenshots.ts'), ...only],
      {
        show: true,
        env: { ...process.env, ...display.env },
      },
    );
    return code ?? 1;
  } finally {
    display.stop();
  }
}
