import { describe, expect, it } from 'vitest';
import { kindOf, whyRefused, type PackageFacts } from '#master/cli/upgrade/decide/acceptance.ts';

const installed = { kind: 'deb', version: '0.2.0', arch: 'amd64' } as const;
const newer: PackageFacts = { kind: 'deb', name: 'overworld-master', version: '0.3.0', arch: 'amd64' };
const strict = { allowDowngrade: false };

describe('the check of an upgrade package', () => {
  it.each<[string, Partial<PackageFacts>]>([
    ['a newer version', {}],
    ['the installed version', { version: '0.2.0' }],
    ['a prerelease of a newer version', { version: '0.3.0-rc.1' }],
  ])('accepts a package that has %s', (_what, change) => {
    expect(whyRefused({ ...newer, ...change }, installed, strict)).toBeNull();
  });

  it.each<[string, Partial<PackageFacts>, RegExp]>([
    ['has another name', { name: 'overworld' }, /the package overworld, not overworld-master/],
    ['has no name', { name: '' }, /without a name/],
    ['is of another kind', { kind: 'tar.gz' }, /a tar\.gz, but .* from a deb/],
    ['is for another architecture', { arch: 'arm64' }, /for arm64, but this machine is amd64/],
    ['is older', { version: '0.1.9' }, /0\.1\.9 is older than the installed version 0\.2\.0/],
    ['is a prerelease of the installed version', { version: '0.2.0-rc.1' }, /older/],
    ['names a folder as its version', { version: '../../etc' }, /not a version/],
    ['has no version', { version: '' }, /not a version/],
  ])('refuses a package that %s', (_what, change, why) => {
    expect(whyRefused({ ...newer, ...change }, installed, strict)).toMatch(why);
  });

  it('accepts an older package on request, but never a package for another architecture', () => {
    const older = { ...newer, version: '0.1.0' };
    expect(whyRefused(older, installed, { allowDowngrade: true })).toBeNull();
    expect(whyRefused({ ...older, arch: 'arm64' }, installed, { allowDowngrade: true })).toMatch(/arm64/);
  });

  it.each<[string, Buffer, string | null]>([
    ['a deb', Buffer.from('!<arch>\ndebian-binary'), 'deb'],
    ['a tar.gz', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), 'tar.gz'],
    ['a program', Buffer.from('\x7fELF\x02\x01\x01\x00', 'latin1'), null],
    ['an empty file', Buffer.alloc(0), null],
  ])('recognizes the kind of a package by its first bytes: %s', (_what, bytes, kind) => {
    expect(kindOf(bytes)).toBe(kind);
  });
});
