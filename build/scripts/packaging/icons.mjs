/**
 * Draws the app's icon, `build/icons/overworld.svg`, in all sizes that packages need. Run this script manually after a
 * change of the drawing (`node build/scripts/packaging/icons.mjs`). The pictures are in git, so that packaging machines
 * need no renderer. Needs `rsvg-convert` (Debian: librsvg2-bin).
 */
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { lastLines, run } from '../run.mjs';
import { runScript, SetupError } from '../steps.mjs';

/**
 * Sizes of the pictures (px). Menus on Linux use 16 to 512. The .ico for Windows is made from 256, and the .icns for
 * macOS from 1024.
 */
const sizes = [16, 24, 32, 48, 64, 128, 256, 512, 1024];

await runScript(async () => {
  const folder = join(root, 'build', 'icons');
  for (const size of sizes) {
    const file = join(folder, `${size}x${size}.png`);
    const { code, output } = await run('rsvg-convert', [
      `--width=${size}`,
      `--height=${size}`,
      `--output=${file}`,
      join(folder, 'overworld.svg'),
    ]);
    if (code !== 0) {
      throw new SetupError(
        `${file} could not be drawn (${lastLines(output)}); install rsvg-convert and start again.`,
      );
    }
  }
  return 0;
});
