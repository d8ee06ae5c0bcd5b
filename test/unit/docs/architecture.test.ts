import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const page = await readFile(new URL('docs/architecture.md', root), 'utf8');
const paths = [...page.matchAll(/`((?:renderer|main|master|shared|test)\/[\w./-]+)`/g)].map(
  ([, path]) => path ?? '',
);

describe('docs/architecture.md', () => {
  it('names only existing files and folders', () => {
    expect(paths.length).toBeGreaterThan(40);
    expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
  });
});
