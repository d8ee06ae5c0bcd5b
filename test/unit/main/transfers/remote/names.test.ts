import { describe, expect, it } from 'vitest';
import { freeName, isLocalName, isPartName, isPlainName, partName } from '#main/transfers/remote/names.ts';

describe('freeName (finds a name that does not exist yet)', () => {
  it.each([
    ['server.jar', [], 'server.jar'],
    ['server.jar', ['server.jar'], 'server (2).jar'],
    ['server.jar', ['server.jar', 'server (2).jar'], 'server (3).jar'],
    ['world.tar.gz', ['world.tar.gz'], 'world (2).tar.gz'],
    ['plugins', ['plugins'], 'plugins (2)'],
    ['.env', ['.env'], '.env (2)'],
    ['.env.local', ['.env.local'], '.env (2).local'],
  ])('returns for the name %s in a folder with %j: %s', (name, taken, want) => {
    expect(freeName(name, new Set(taken))).toBe(want);
  });
});

describe('the check of file names in transfers', () => {
  it.each(['', '.', '..', 'a/b', 'a\0b', 'x'.repeat(256)])('rejects the name %j', (name) => {
    expect(isPlainName(name)).toBe(false);
  });

  it.each(['..\\evil.exe', 'a:b', 'NUL', 'com1.txt', 'end.', 'end ', 'a\u0007b'])(
    'rejects the name %j from a master on Windows',
    (name) => {
      expect(isLocalName(name, 'win32')).toBe(false);
    },
  );

  it('accepts on Linux a name that is special only on Windows', () => {
    expect(isLocalName('..\\evil.exe', 'linux')).toBe(true);
    expect(isLocalName('../evil', 'linux')).toBe(false);
  });

  it("recognises names of the app's temporary files", () => {
    expect(isPartName(partName('0a1b'))).toBe(true);
    expect(isPartName('server.jar.part')).toBe(false);
  });
});
