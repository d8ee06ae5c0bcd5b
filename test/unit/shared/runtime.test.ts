import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ELECTRON_MAJOR, isFallbackRuntime } from '#shared/runtime.ts';

it('ELECTRON_MAJOR is the major version of Electron in package.json', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    devDependencies: { electron: string };
  };
  expect(manifest.devDependencies.electron.split('.')[0]).toBe(String(ELECTRON_MAJOR));
});

it('an Electron version below ELECTRON_MAJOR counts as a fallback', () => {
  expect(['33.2.1', '44.9.9'].every(isFallbackRuntime)).toBe(true);
  expect([`${ELECTRON_MAJOR}.0.0`, `${ELECTRON_MAJOR + 1}.0.0`].some(isFallbackRuntime)).toBe(false);
});
