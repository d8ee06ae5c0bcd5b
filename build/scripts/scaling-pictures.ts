import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { scalingPictures } from './pictures/pictures.ts';

/**
 * Draws the pictures of docs/scaling.md from the simulator. With `--check`, writes nothing and exits with 1 if a
 * picture is outdated. Usage: `npx tsx build/scripts/scaling-pictures.ts [--check]`.
 */
const check = process.argv.includes('--check');

for (const [path, svg] of scalingPictures()) {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const found = await readFile(file, 'utf8').catch(() => null);
  if (found === svg) continue;
  if (check) {
    console.error(`${path} is out of date; run: npx tsx build/scripts/scaling-pictures.ts`);
    process.exitCode = 1;
  } else {
    await writeFile(file, svg);
    console.log(`wrote ${path}`);
  }
}
