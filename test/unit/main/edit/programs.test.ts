import { describe, expect, it } from 'vitest';
import { isProgram } from '#main/edit/programs.ts';

describe('files that would run here when they are opened', () => {
  it('are told by their ending, in whatever case and behind whatever other one', () => {
    for (const name of ['a.jar', 'readme.txt.EXE', 'Notes.Desktop', 'x.lnk', '.msi', 'a.exe. ']) {
      for (const platform of ['linux', 'win32', 'darwin'] as const) {
        expect(isProgram(name, platform), `${name} on ${platform}`).toBe(true);
      }
    }
  });

  it('are others on each system', () => {
    for (const name of ['start.bat', 'start.sh', 'a.js', 'a.hta', 'a.PY']) {
      expect([isProgram(name, 'win32'), isProgram(name, 'linux')], name).toEqual([true, false]);
    }
    expect([isProgram('a.command', 'darwin'), isProgram('a.command', 'linux')]).toEqual([true, false]);
  });

  it('are not what people edit', () => {
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
