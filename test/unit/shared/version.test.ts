import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { VERSION } from '#shared/version.ts';

it('VERSION equals the version of the package', () => {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  expect((JSON.parse(text) as { version: string }).version).toBe(VERSION);
});
