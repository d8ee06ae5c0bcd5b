import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAffected, lockedPackages } from '../../../build/scripts/advisories/affected.mjs';
import { checkAdvisories } from '../../../build/scripts/advisories/check-advisories.mjs';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

type Events = readonly Readonly<Record<string, string>>[];
const inRange = (version: string, events: Events): boolean =>
  isAffected(version, { ranges: [{ type: 'SEMVER', events }] });

describe('isAffected (whether a security advisory affects a version)', () => {
  const twice: Events = [
    { introduced: '2.0.0' },
    { fixed: '2.3.1' },
    { introduced: '0' },
    { fixed: '1.9.4' },
  ];

  it.each([
    ['0.0.1', true],
    ['1.9.3', true],
    ['1.9.4-beta.1', true],
    ['1.9.4', false],
    ['2.0.0', true],
    ['2.3.0', true],
    ['2.3.1', false],
    ['10.0.0', false],
  ])('returns for version %s and two version ranges in either order: %s', (version, expected) => {
    expect(inRange(version, twice)).toBe(expected);
    expect(inRange(version, twice.toReversed())).toBe(expected);
  });

  it('returns true for the version in the field last_affected, and false for the version in the field limit', () => {
    const last: Events = [{ introduced: '1.0.0' }, { last_affected: '1.2.0' }];
    expect(['0.9.9', '1.0.0', '1.2.0', '1.2.1'].map((version) => inRange(version, last))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    const limited: Events = [{ introduced: '0' }, { limit: '2.0.0' }];
    expect(['1.9.9', '2.0.0'].map((version) => inRange(version, limited))).toEqual([true, false]);
    expect(inRange('9.0.0', [{ introduced: '0' }])).toBe(true);
  });

  it('returns true for a version that the advisory lists', () => {
    expect(isAffected('1.0.1', { versions: ['1.0.1'] })).toBe(true);
    expect(isAffected('1.0.2', { versions: ['1.0.1'] })).toBe(false);
  });
});

it('lockedPackages returns each version of a package once, with the real name of the package', () => {
  const packages = {
    '': { version: '1.0.0' },
    'node_modules/b': { version: '2.0.0' },
    'node_modules/@a/c/node_modules/b': { version: '1.0.0' },
    'node_modules/d/node_modules/b': { version: '1.0.0' },
    'node_modules/alias': { name: '@a/real', version: '3.0.0' },
    'node_modules/linked': { link: true },
  };
  expect(lockedPackages({ packages }).map(({ name, version }) => `${name}@${version}`)).toEqual([
    '@a/real@3.0.0',
    'b@1.0.0',
    'b@2.0.0',
  ]);
});

describe('the command npm run advisories', () => {
  const advisory = (id: string, name: string, events: Events) => ({
    ...{ id, summary: `fault of ${name}`, database_specific: { severity: 'HIGH' } },
    affected: [{ package: { ecosystem: 'npm', name }, ranges: [{ type: 'SEMVER', events }] }],
  });
  const all = [advisory('GHSA-1', 'b', [{ introduced: '0' }, { fixed: '1.5.0' }])];
  const harmless = [
    advisory('GHSA-2', 'b', [{ introduced: '2.1.0' }]),
    { ...advisory('GHSA-3', 'b', [{ introduced: '0' }]), withdrawn: '2026-01-01T00:00:00Z' },
    advisory('GHSA-4', 'not-installed', [{ introduced: '0' }]),
  ];

  /** Writes advisories into a folder, and a lock file with b@1.0.0 and b@2.0.0. */
  function setUp(advisories: readonly { id: string }[]) {
    const folder = join(temporaryFolder(), 'osv');
    mkdirSync(join(folder, 'npm'), { recursive: true });
    for (const one of advisories) writeFileSync(join(folder, 'npm', `${one.id}.json`), JSON.stringify(one));
    const lock = join(folder, '..', 'package-lock.json');
    const packages = {
      'node_modules/b': { version: '2.0.0' },
      'node_modules/c/node_modules/b': { version: '1.0.0' },
    };
    writeFileSync(lock, JSON.stringify({ lockfileVersion: 3, packages }));
    const lines: string[] = [];
    const check = (copy: string) =>
      checkAdvisories([copy], { locks: [lock], print: (line: string) => lines.push(line) });
    return { folder, lines, check };
  }

  it('prints a table and fails if a locked version is affected (advisories in a folder or a zip file)', async () => {
    const { folder, lines, check } = setUp([...all, ...harmless]);
    expect(await check(folder)).toBe(1);
    expect(lines.map((line) => line.replace(/ +/g, ' '))).toEqual([
      'b@1.0.0 GHSA-1 HIGH 1.5.0 fault of b',
      '1 packages, 4 advisories: 1 apply',
    ]);
    // `jar` of the JDK makes zip files.
    execFileSync('jar', ['cMf', join(folder, '..', 'all.zip'), '-C', folder, '.']);
    const before = lines.splice(0);
    expect(await check(join(folder, '..', 'all.zip'))).toBe(1);
    expect(lines).toEqual(before);
  });

  it('succeeds if no locked version is affected', async () => {
    const { folder, check } = setUp(harmless);
    expect(await check(folder)).toBe(0);
  });

  it('fails for a folder without advisories', async () => {
    const { folder, check } = setUp([]);
    await expect(check(folder)).rejects.toThrow('contains no advisory');
    await expect(check(join(folder, 'missing'))).rejects.toThrow('is missing');
  });
});
