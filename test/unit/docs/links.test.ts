import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchors, links, projectFiles, read, root, type Link } from './pages.ts';

const files = projectFiles();
const pages = files.filter((file) => file.endsWith('.md'));
const docs = pages.filter((page) => page.startsWith('docs/'));

function broken({ path, anchor }: Link): boolean {
  if (!existsSync(join(root, path))) return true;
  return anchor !== '' && (!statSync(join(root, path)).isFile() || !anchors(path).has(anchor));
}

function reachable(start: string): Set<string> {
  const found = new Set([start]);
  for (const page of found) {
    for (const { path } of links(page)) if (docs.includes(path)) found.add(path);
  }
  return found;
}

describe('the documentation pages', () => {
  it.each(pages)('contain no broken links: %s', (page) => {
    expect(links(page).filter(broken)).toEqual([]);
  });

  it('can all be reached by links from README.md', () => {
    const found = reachable('README.md');
    expect(docs.filter((page) => !found.has(page))).toEqual([]);
  });

  it('are linked from docs/README.md or from the README file of their folder', () => {
    const indexes = docs.filter((page) => page.endsWith('/README.md'));
    const linked = new Set(indexes.flatMap((index) => links(index).map(({ path }) => path)));
    expect(docs.filter((page) => page !== 'docs/README.md' && !linked.has(page))).toEqual([]);
  });

  it('contain each section to which the source code refers', () => {
    const sources = files.filter((file) => /\.(?:ts|mjs|svelte|java|yml)$/.test(file));
    const cited = new Set(
      sources.flatMap((file) =>
        [...read(file).matchAll(/docs\/[\w/-]+\.md(?:#[\w-]+)?/g)].map(([place]) => place),
      ),
    );
    const places = [...cited].map((place) => place.split('#'));
    expect(places.length).toBeGreaterThan(20);
    expect(places.filter(([path = '', anchor = '']) => broken({ path, anchor }))).toEqual([]);
  });

  it('contain each decision record to which the source code refers', () => {
    const sources = files.filter((file) => /\.(?:ts|mjs|svelte|java|yml|html|js)$/.test(file));
    const numbers = new Set(
      sources.flatMap((file) => [...read(file).matchAll(/docs\/adr\/(\d{4})/g)].map(([, n]) => n)),
    );
    const decided = new Set(docs.flatMap((page) => /^docs\/adr\/(\d{4})-/.exec(page)?.[1] ?? []));
    expect([...numbers].filter((number) => number === undefined || !decided.has(number))).toEqual([]);
  });
});
