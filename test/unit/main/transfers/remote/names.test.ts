import { describe, expect, it } from 'vitest';
import { freeName, isLocalName, isPartName, isPlainName, partName } from '#main/transfers/remote/names.ts';

describe('finding a free name', () => {
  it.each([
    ['server.jar', [], 'server.jar'],
    ['server.jar', ['server.jar'], 'server (2).jar'],
    ['server.jar', ['server.jar', 'server (2).jar'], 'server (3).jar'],
    ['world.tar.gz', ['world.tar.gz'], 'world (2).tar.gz'],
    ['plugins', ['plugins'], 'plugins (2)'],
    ['.env', ['.env'], '.env (2)'],
    ['.env.local', ['.env.local'], '.env (2).local'],
  ])('%s beside %j becomes %s', (name, taken, want) => {
    expect(freeName(name, new Set(taken))).toBe(want);
  });
});

describe('names', () => {
  it.each(['', '.', '..', 'a/b', 'a\0b', 'x'.repeat(256)])('refuses %j as the name of an entry', (name) => {
    expect(isPlainName(name)).toBe(false);
  });

  it.each(['..\\evil.exe', 'a:b', 'NUL', 'com1.txt', 'end.', 'end ', 'a\u0007b'])(
    'makes no file %j on Windows, which a master may have named so',
    (name) => {
      expect(isLocalName(name, 'win32')).toBe(false);
    },
  );

  it('takes the same names on Linux, where they mean nothing special', () => {
    expect(isLocalName('..\\evil.exe', 'linux')).toBe(true);
    expect(isLocalName('../evil', 'linux')).toBe(false);
  });

  it('knows the temporary names it makes', () => {
    expect(isPartName(partName('0a1b'))).toBe(true);
    expect(isPartName('server.jar.part')).toBe(false);
  });
});
