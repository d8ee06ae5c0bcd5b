import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';

/** Returns the file names of the pictures in `docs/screenshots` that the README and the pages of `docs` show. */
export function picturesOfPages(): ReadonlySet<string> {
  const pages = readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(root, 'docs', name));
  const texts = [join(root, 'README.md'), ...pages].map((page) => readFileSync(page, 'utf8'));
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/screenshots\/([\w-]+\.png)/g)].map(([, name]) => name ?? '')),
  );
}
