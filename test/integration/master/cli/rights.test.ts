import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { masterProgram } from '#test/support/master/master-process.ts';

/** Id of Debian's unprivileged user. */
const UNPRIVILEGED = 65_534;

/** Only a test that runs as root can run programs as other users. */
const asRoot = it.runIf(process.getuid?.() === 0);

/**
 * Creates a copy of the program that all users can read. Returns a function that runs the copy as an unprivileged user.
 */
async function programForAll(): Promise<{
  readonly folder: string;
  readonly run: (...args: readonly string[]) => { code: number | null; out: string; err: string };
}> {
  const folder = mkdtempSync(join(tmpdir(), 'overworld-rights-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  cpSync(dirname(await masterProgram()), join(folder, 'program'), { recursive: true });
  return {
    folder,
    run: (...args) => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join(folder, 'program', 'index.js'), ...args],
        {
          uid: UNPRIVILEGED,
          gid: UNPRIVILEGED,
          encoding: 'utf8',
          env: { PATH: process.env['PATH'], HOME: folder },
        },
      );
      return { code: status, out: stdout, err: stderr };
    },
  };
}

asRoot('a command that needs root says so to a person who is not root', async () => {
  const { folder, run } = await programForAll();
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  for (const command of [
    ['status'],
    ['check'],
    ['doctor'],
    ['keys', 'list'],
    ['template', 'list'],
    ['init'],
  ]) {
    expect(run(...command, '--data', data)).toEqual({
      code: 1,
      out: '',
      err: `This command needs root: other users may not use the data folder ${data}. Run it with sudo.\n`,
    });
  }
  expect(run('status', '--data', join(data, 'inner')).err).toContain('This command needs root: ');
});

asRoot("the message names the folder's user if that is not root", async () => {
  const { folder, run } = await programForAll();
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, 1, 1);
  expect(run('status', '--data', data).err).toMatch(/^This command needs the rights of daemon, or root: /);
});

asRoot('without a data folder, the folder of the environment is used', async () => {
  const { folder } = await programForAll();
  const { stderr } = spawnSync(process.execPath, [join(folder, 'program', 'index.js'), 'status'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder, OVERWORLD_DATA: '/nowhere/at-all' },
  });
  expect(stderr).toContain('No master is running on the data folder /nowhere/at-all.');
});
