import { describe, expect, it } from 'vitest';
import { isOpenable } from '#main/edit/openable.ts';

describe('isOpenable (whether a file may be opened in another program)', () => {
  it.each([
    'server.properties',
    'spigot.yml',
    'ops.json',
    'a.toml',
    'icon.PNG',
    'level.dat',
    'a.jar.txt',
    'latest.log',
  ])('allows %s', (name) => expect(isOpenable(name)).toBe(true));

  it('refuses types of files that any desktop runs, installs or follows', () => {
    const names = [
      'a.jar',
      'a.txt.EXE',
      'Notes.Desktop',
      'x.lnk',
      '.msi',
      'start.sh',
      'start.bat',
      'a.js',
      'a.PY',
    ];
    const more = ['a.command', 'a.url', 'a.AppImage', 'a.hta', 'a.html', 'a.svg', 'a.docm', 'a.zip', 'a.reg'];
    expect([...names, ...more].filter(isOpenable)).toEqual([]);
  });

  it('refuses types that it does not know, and names that hide their type', () => {
    const names = [
      'LICENSE',
      'a.',
      'a.newtype',
      '.txt',
      'a.txt.',
      'a.txt ',
      'a.txt. ',
      'a.exe\u202Etxt',
      'a.txt:b',
      '',
    ];
    expect(names.filter(isOpenable)).toEqual([]);
  });
});
