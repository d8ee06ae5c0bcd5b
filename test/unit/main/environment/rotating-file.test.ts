import { closeSync, fstatSync, openSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { RotatingFile } from '#main/environment/rotating-file.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

describe('RotatingFile (log file of the app)', () => {
  it('keeps the newest lines in at most two files of a limited size', async () => {
    const path = join(folder, 'logs', 'app.log');
    const file = new RotatingFile(path, 1000);
    for (let n = 0; n < 500; n++) file.write(`line ${n}\n`);
    file.close();
    expect((await readdir(join(folder, 'logs'))).sort()).toEqual(['app.log', 'app.log.1']);
    const sizes = await Promise.all([path, `${path}.1`].map(async (one) => (await stat(one)).size));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1000);
    expect(await readFile(path, 'utf8')).toContain('line 499\n');
  });

  it('continues the file after a restart, and shortens a text that exceeds the limit', async () => {
    const path = join(folder, 'app.log');
    for (const text of ['one\n', 'two\n']) {
      const file = new RotatingFile(path, 100);
      file.write(text);
      file.close();
    }
    expect(await readFile(path, 'utf8')).toBe('one\ntwo\n');
    const file = new RotatingFile(path, 100);
    file.write('x'.repeat(5000));
    file.close();
    expect((await stat(path)).size).toBe(100);
  });

  it.skipIf(process.platform !== 'linux')('does not throw on a full disk', async () => {
    const path = join(folder, 'app.log');
    await symlink('/dev/full', path);
    const file = new RotatingFile(path);
    expect(() => file.write('one\n')).not.toThrow();
    file.close();
  });

  it('continues the same file while it cannot be renamed, and closes no file that other code has opened', async () => {
    const path = join(folder, 'app.log');
    // Make each rename fail: a folder already has the target name. A rename can also fail for other reasons.
    await mkdir(`${path}.1`);
    const file = new RotatingFile(path, 10);
    file.write('one\n');
    file.write('two two\n');
    const other = openSync(join(folder, 'other'), 'w');
    file.write('three\n');
    expect(fstatSync(other).isFile()).toBe(true);
    closeSync(other);
    expect(await readFile(path, 'utf8')).toBe('one\ntwo two\nthree\n');
    await rmdir(`${path}.1`);
    file.write('four\n');
    file.close();
    expect(await readFile(`${path}.1`, 'utf8')).toBe('one\ntwo two\nthree\n');
    expect(await readFile(path, 'utf8')).toBe('four\n');
  });

  it('drops lines while the file cannot be opened, and writes the next ones', async () => {
    const logs = join(folder, 'logs');
    await writeFile(logs, 'a file in place of the folder');
    const file = new RotatingFile(join(logs, 'app.log'));
    file.write('one\n');
    await rm(logs);
    file.write('two\n');
    file.close();
    expect(await readFile(join(logs, 'app.log'), 'utf8')).toBe('two\n');
  });
});
