import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions, fromDebVersion } from '#master/cli/upgrade/decide/version-order.ts';
import { debVersion } from '../../../../../build/scripts/packaging/deb/control.mjs';

/** Versions in the order of semver's own example. */
const ordered = [
  '0.9.10',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.0.1',
  '1.2.0',
  '1.10.0',
  '2.0.0',
];

describe('the order of package versions', () => {
  it('follows semantic versioning', () => {
    expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered);
  });

  it('ignores build metadata', () => {
    expect(compareVersions('1.0.0+5f1c', '1.0.0+9ab2')).toBe(0);
  });

  it('is a total order over all versions', () => {
    const version = fc.constantFrom(...ordered);
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(Math.sign(compareVersions(a, b))).toBe(-Math.sign(compareVersions(b, a)) + 0);
        if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0)
          expect(compareVersions(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });

  it('is the same after a conversion to Debian package versions and back', () => {
    expect(ordered.map((version) => fromDebVersion(debVersion(version)))).toEqual(ordered);
  });
});
