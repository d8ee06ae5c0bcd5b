import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyDefaultFiles, DefaultFileProblem } from '#master/templates/default-files/default-files.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

async function places(): Promise<{ folder: string; shared: string; target: string }> {
  const folder = temporaryFolder();
  const [shared, target] = [join(folder, 'files'), join(folder, 'service')];
  await mkdir(join(shared, 'common', 'lang'), { recursive: true });
  await mkdir(target);
  await writeFile(join(shared, 'plugin.jar'), 'jar');
  await writeFile(join(shared, 'common', 'lang', 'en.yml'), 'hello');
  await writeFile(join(shared, 'common', 'start.sh'), '#!/bin/sh');
  await chmod(join(shared, 'common', 'start.sh'), 0o755);
  await writeFile(join(shared, 'common', '.overworld-12'), 'half');
  return { folder, shared, target };
}

describe('copyDefaultFiles (copies shared files into a service)', () => {
  it('copies files and directories over existing ones in the configured order', async () => {
    const { shared, target } = await places();
    await writeFile(join(target, 'start.sh'), 'old, and longer than the new one');
    await copyDefaultFiles(
      [
        { path: 'common', destination: '.', directory: true },
        { path: 'plugin.jar', destination: 'plugins/' },
        { path: '/plugin.jar', destination: 'lang/en.yml' },
      ],
      shared,
      target,
    );
    expect((await readdir(target, { recursive: true })).sort()).toEqual([
      'lang',
      'lang/en.yml',
      'plugins',
      'plugins/plugin.jar',
      'start.sh',
    ]);
    expect(await readFile(join(target, 'start.sh'), 'utf8')).toBe('#!/bin/sh');
    expect((await stat(join(target, 'start.sh'))).mode & 0o777).toBe(0o755);
    expect(await readFile(join(target, 'lang/en.yml'), 'utf8')).toBe('jar');
  });

  it.each([
    {
      it: 'a missing source',
      entry: { path: 'gone.jar', destination: 'a' },
      want: /"gone\.jar" cannot be read.*does not exist/,
    },
    {
      it: 'a directory while the switch "directory" is off',
      entry: { path: 'common', destination: 'a' },
      want: /"common" is a directory; switch "directory" on/,
    },
    {
      it: 'a file while the switch "directory" is on',
      entry: { path: 'plugin.jar', destination: 'a', directory: true },
      want: /switch "directory" off/,
    },
    {
      it: 'a link to a file outside',
      entry: { path: 'link', destination: 'a' },
      want: /link or a special file/,
    },
    {
      it: 'a link within the path',
      entry: { path: 'out/secret', destination: 'a' },
      want: /link or a special file/,
    },
    {
      it: 'a link inside a directory',
      entry: { path: 'linked', destination: 'a', directory: true },
      want: /link or a special file/,
    },
    {
      it: 'a pipe, without waiting for a writer',
      entry: { path: 'pipe', destination: 'a' },
      want: /link or a special file/,
    },
    {
      it: 'a destination below a file',
      entry: { path: 'plugin.jar', destination: 'taken/x/y' },
      want: /"x", which is not a folder/,
    },
    {
      it: 'a file in place of a folder',
      entry: { path: 'plugin.jar', destination: 'plugins' },
      want: /cannot replace the folder "plugins"/,
    },
    {
      it: 'a destination below a link',
      entry: { path: 'plugin.jar', destination: 'escape/y' },
      want: /"escape", which is not a folder/,
    },
  ])('refuses $it', async ({ entry, want }) => {
    const { folder, shared, target } = await places();
    await mkdir(join(folder, 'outside'));
    await writeFile(join(folder, 'outside', 'secret'), 'secret');
    await symlink(join(folder, 'outside', 'secret'), join(shared, 'link'));
    await symlink(join(folder, 'outside'), join(shared, 'out'));
    await mkdir(join(shared, 'linked'));
    await symlink(join(folder, 'outside', 'secret'), join(shared, 'linked', 'secret'));
    await symlink(join(folder, 'outside'), join(target, 'escape'));
    await writeFile(join(target, 'taken'), '');
    await mkdir(join(target, 'plugins'));
    execFileSync('mkfifo', [join(shared, 'pipe')]);
    const refused = await copyDefaultFiles([entry], shared, target).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DefaultFileProblem);
    expect(String(refused)).toMatch(want);
    expect(await readdir(join(folder, 'outside'))).toEqual(['secret']);
  });
});
