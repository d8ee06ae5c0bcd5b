import { describe, expect, it } from 'vitest';
import { describeChanges } from '#master/control/feed/config-diff.ts';

describe('describeChanges (text for the activity log about changed settings)', () => {
  it.each([
    { before: { a: 1, b: 'x' }, after: { a: 2, b: 'x' }, want: 'a 1 → 2' },
    { before: { a: { b: 1, c: true } }, after: { a: { b: 1, c: false } }, want: 'a.c true → false' },
    { before: { a: [] }, after: { a: [1, 2] }, want: 'a 0 entries → 2 entries' },
    { before: { a: 1 }, after: { a: 1 }, want: 'nothing changed' },
    { before: { a: 'x'.repeat(100) }, after: { a: '' }, want: `a "${'x'.repeat(58)}… → ""` },
  ])('describes a change as $want', ({ before, after, want }) => {
    expect(describeChanges(before, after)).toBe(want);
  });

  it('hides the values of secret settings', () => {
    const text = describeChanges({ p: { token: 'old' } }, { p: { token: 'new' } }, new Set(['p.token']));
    expect(text).toBe('p.token replaced');
  });
});
