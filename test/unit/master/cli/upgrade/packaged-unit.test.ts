import { existsSync } from 'node:fs';
import { lstat, mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { isPackagedUnit, putPackagedUnit } from '#master/cli/upgrade/packages/packaged-unit.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

let folder: string;
let unit: string;
let programs: readonly [string, string];

beforeEach(async () => {
  folder = temporaryFolder();
  unit = join(folder, 'overworld-master.service');
  programs = [join(folder, 'program'), join(folder, 'program.previous')];
  for (const [i, program] of programs.entries()) {
    await mkdir(join(program, 'system'), { recursive: true });
    await writeFile(join(program, 'system', 'overworld-master.service'), `unit ${i}\n`);
  }
});

describe('the unit file of a master from a tar.gz archive', () => {
  it.each([
    ['of the installed program', 'unit 0\n', true],
    ['of the previous program, because an upgrade was interrupted', 'unit 1\n', true],
    ['of an admin', 'unit 0\n# changed\n', false],
    ['empty', '', false],
  ])('is replaced by an upgrade only if no admin has changed it: %s', async (_what, text, expected) => {
    await writeFile(unit, text);
    expect(await isPackagedUnit(unit, programs)).toBe(expected);
  });

  it('is not created by an upgrade, even if a program lacks a unit file', async () => {
    expect(await isPackagedUnit(unit, programs)).toBe(false);
    await rm(join(programs[1], 'system'), { recursive: true });
    expect(await isPackagedUnit(unit, programs)).toBe(false);
  });

  it('is replaced as a whole, and keeps its mode', async () => {
    await writeFile(unit, 'unit 1\n', { mode: 0o640 });
    const before = await stat(unit);
    await putPackagedUnit(unit, programs[0]);
    const after = await stat(unit);
    expect(await readFile(unit, 'utf8')).toBe('unit 0\n');
    expect(after.mode).toBe(before.mode);
    expect(after.ino).not.toBe(before.ino);
  });

  it.runIf(existsSync('/proc'))('stays a link if it is one', async () => {
    await writeFile(unit, 'unit 1\n');
    await rename(unit, join(folder, 'target'));
    await symlink(join(folder, 'target'), unit);
    await putPackagedUnit(unit, programs[0]);
    expect((await lstat(unit)).isSymbolicLink()).toBe(true);
    expect(await readFile(unit, 'utf8')).toBe('unit 0\n');
  });
});
