import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { EXAMPLE_PAGES, fillExamples } from '../../test/unit/docs/examples/fill.ts';
import { generatedPages } from './docs/pages.ts';

/**
 * Writes the generated pages under docs/, and the worked examples of other pages. With `--check` it writes nothing
 * and exits with 1 if a page is outdated. Usage: `npx tsx build/scripts/docs.ts [--check]`.
 */
const check = process.argv.includes('--check');

const fileOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const withExamples = await Promise.all(
  EXAMPLE_PAGES.map(async (path) => [path, fillExamples(await readFile(fileOf(path), 'utf8'))] as const),
);
const pages = [...generatedPages(), ...withExamples];

for (const [path, markdown] of pages) {
  const file = fileOf(path);
  const wanted = await format(markdown, { ...(await resolveConfig(file)), parser: 'markdown' });
  const found = await readFile(file, 'utf8').catch(() => null);
  if (found === wanted) continue;
  if (check) {
    console.error(`${path} is out of date; run: npx tsx build/scripts/docs.ts`);
    process.exitCode = 1;
  } else {
    await writeFile(file, wanted);
    console.log(`wrote ${path}`);
  }
}
