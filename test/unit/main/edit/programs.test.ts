import { describe, expect, it } from 'vitest';
import { isProgram } from '#main/edit/programs.ts';

describe('isProgram (whether a file runs when it is opened)', () => {
  it('recognises programs by their last extension, in upper or lower case', () => {
    for (const name of ['a.jar', 'readme.txt.EXE', 'Notes.Desktop', 'x.lnk', '.msi', 'a.exe. ']) {
      for (const platform of ['linux', 'win32', 'darwin'] as const) {
        expect(isProgram(name, platform), `${name} on ${platform}`).toBe(true);
      }
    }
  });

  it('recognises additional program extensions on each operating system', () => {
    for (const name of ['start.bat', 'start.sh', 'a.js', 'a.hta', 'a.PY']) {
      expect([isProgram(name, 'win32'), isProgram(name, 'linux')], name).toEqual([true, false]);
    }
    expect([isProgram('a.command', 'darwin'), isProgram('a.command', 'linux')]).toEqual([true, false]);
  });

  it('does not treat files that people edit as programs', () => {
    const names = [
      'server.properties',
      'spigot.yml',
      'ops.json',
      'a.toml',
      'icon.png',
      'jar',
      'exe',
      'a.jar.txt',
    ];
    for (const name of names) {
      for (const platform of ['linux', 'win32', 'darwin'] as const)
        expect(isProgram(name, platform), name).toBe(false);
    }
  });
});
