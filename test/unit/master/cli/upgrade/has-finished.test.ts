import { describe, expect, it } from 'vitest';
import { hasFinished } from '#master/cli/upgrade/decide/has-finished.ts';

const last = { before: '1.0.0', version: '1.1.0', marks: ['old', 'new'] };
const now = { version: '1.1.0', mark: 'new', isComplete: true, isDeciding: true };
const kept = { mark: 'old' };

const OLD = { version: '1.0.0', mark: 'old' };
const OTHER = { version: '1.0.1', mark: 'other' };

describe('hasFinished (whether an interrupted upgrade has finished)', () => {
  it.each([
    { says: 'the new version makes decisions', change: {} },
    { says: 'the previous version makes decisions again', change: OLD },
    { says: 'another version makes decisions', change: OTHER },
    { says: 'another version is installed', change: { ...OTHER, isDeciding: false } },
    {
      says: 'another package of the new version is installed',
      change: { mark: 'other', isDeciding: false },
    },
  ])('is true if $says', ({ change }) => {
    expect(hasFinished(last, kept, { ...now, ...change })).toBe(true);
  });

  it.each([
    { says: 'the new version makes no decisions', change: { isDeciding: false } },
    { says: 'the previous version makes no decisions', change: { ...OLD, isDeciding: false } },
    { says: 'the installed package is incomplete', change: { ...OTHER, isComplete: false } },
  ])('is false if $says', ({ change }) => {
    expect(hasFinished(last, kept, { ...now, ...change })).toBe(false);
  });

  it.each([
    { isDeciding: true, expected: true },
    { isDeciding: false, expected: false },
  ])(
    'is $expected for a new package with the same version number that makes decisions: $isDeciding',
    ({ isDeciding, expected }) => {
      const same = { ...last, version: '1.0.0' };
      expect(hasFinished(same, kept, { ...now, version: '1.0.0', isDeciding })).toBe(expected);
    },
  );

  it('is false if the version before a repeatedly interrupted upgrade is installed and makes no decisions', () => {
    const continued = { ...last, version: '1.2.0', marks: ['new', 'newest'] };
    expect(hasFinished(continued, kept, { ...now, ...OLD, isDeciding: false })).toBe(false);
  });

  it.each([
    { version: '1.0.0', expected: false },
    { version: '1.1.0', expected: false },
    { version: '1.0.1', expected: true },
  ])(
    'is $expected for version $version without decisions if the record states no packages',
    ({ version, expected }) => {
      const found = { ...now, version, mark: 'unknown', isDeciding: false };
      expect(hasFinished({ ...last, marks: [] }, kept, found)).toBe(expected);
    },
  );
});
