import { Linter } from 'eslint';
import { describe, expect, it } from 'vitest';
import { assertingTests } from '../../../build/lint/asserting-tests.mjs';

function complaints(code: string): number {
  const plugins = { overworld: { rules: { 'asserting-tests': assertingTests } } };
  return new Linter().verify(code, { plugins, rules: { 'overworld/asserting-tests': 'error' } }).length;
}

describe('the lint rule that each test must contain an assertion', () => {
  it.each([
    "it('adds', () => { expect(1 + 1).toBe(2); })",
    "it('ends', async () => { await waitFor(() => isOver()); })",
    "it.each([1])('adds %i', (n) => { expectSum(n); })",
    "it('commutes', () => { fc.assert(fc.property(fc.nat(), (n) => n + 1 === 1 + n)); })",
    "describe('all', () => { prepare(); })",
    'it(title)',
  ])('accepts %s', (code) => {
    expect(complaints(code)).toBe(0);
  });

  it.each([
    "it('starts', async () => { await start(); })",
    "test('starts', async function () { await start(); })",
    "it.each([1])('starts %i', async (n) => { await start(n); })",
    "it.skipIf(onWindows)('starts', async () => { await start(); }, 5_000)",
  ])('rejects %s', (code) => {
    expect(complaints(code)).toBe(1);
  });
});
