import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { EXAMPLE_PAGES, fillExamples } from '../../test/unit/docs/examples/fill.ts';
import { MAN_PAGE, manPage } from './docs/man-page.ts';
import { generatedPages } from './docs/pages.ts';

/**
 * Writes the generated pages under docs/, the manual page, and the worked examples of other pages. With `--check` it writes nothing
 * and exits with 1 if a page is outdated. Usage: `npx tsx build/scripts/docs.ts [--check]`.
 */
const check = process.argv.includes('--check');

const fileOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const withExamples = await Promise.all(
  EXAMPLE_PAGES.map(async (path) => [path, fillExamples(await readFile(fileOf(path), 'utf8'))] as const),
);
const pages = [...generatedPages(), ...withExamples, [MAN_PAGE, manPage()] as const];

for (const [path, text] of pages) {
  const file = fileOf(path);
  const wanted = path.endsWith('.md')
    ? await format(text, { ...(await resolveConfig(file)), parser: 'markdown' })
    : text;
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
