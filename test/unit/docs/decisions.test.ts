import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { links, read, root } from './pages.ts';

const decisions = readdirSync(join(root, 'docs/adr')).filter((name) => /^\d{4}-/.test(name));

describe('a decision record in docs/adr', () => {
  it.each(decisions)('has a context and a decision on at most one page: %s', (name) => {
    const text = read(`docs/adr/${name}`);
    expect(text).toMatch(/^\*\*Context\.\*\*/m);
    expect(text).toMatch(/^\*\*Decision/m);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(540);
  });

  it('is listed in the table of docs/adr/README.md, which is sorted by number', () => {
    const listed = read('docs/adr/README.md').matchAll(/^\| \[(\d{4})\]\(([^)]+)\)/gm);
    expect([...listed].map(([, number, file]) => [number, file])).toEqual(
      decisions.map((name) => [name.slice(0, 4), name]),
    );
    expect(links('docs/adr/README.md').length).toBeGreaterThanOrEqual(decisions.length);
  });
});
