import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { masterProgram } from '#test/support/master/master-process.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

it('the master loads no packages from the home folder of its user, where SFTP clients could put them', async () => {
  const program = await masterProgram();
  const text = readFileSync(join(dirname(program), 'master.js'), 'utf8');
  const required = [...text.matchAll(/\brequire\(["']([^"'./][^"']*)["']\)/g)].map(([, name = '']) => name);
  expect(required).toContain('crypto');
  const known = new Set(builtinModules);
  expect(required.filter((name) => !name.startsWith('node:') && !known.has(name))).toEqual([]);

  const home = temporaryFolder();
  const loaded = join(home, 'loaded');
  const folder = join(home, '.node_modules/cpu-features');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.js'), `require('fs').writeFileSync(${JSON.stringify(loaded)}, '')`);
  await promisify(execFile)(process.execPath, [program, '--version'], {
    env: { ...process.env, HOME: home },
  });
  expect(existsSync(loaded)).toBe(false);
});
