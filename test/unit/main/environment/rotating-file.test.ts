import { readdir, readFile, stat } from 'node:fs/promises';
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
});
