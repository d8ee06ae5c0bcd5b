import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';

/** Whether the program restic is installed. On Debian, it is in the package `restic`. */
export const hasRestic = spawnSync('restic', ['version']).status === 0;

/**
 * Puts a shell script with the name `restic` first in PATH until the test ends. The variable `$HERE` in the script
 * contains a folder of the test.
 *
 * @returns the folder in `$HERE`
 */
export async function fakeRestic(code: string): Promise<string> {
  const here = temporaryFolder();
  await writeFile(join(here, 'restic'), `#!/bin/sh\nHERE=${here}\n${code}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${here}:${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return here;
}

/** Leaves a repository in the state after a failure of the machine while restic removes unused data. */
export async function leaveExclusiveLock(of: {
  readonly repository: string;
  readonly password: string;
}): Promise<void> {
  // restic waits for the writer of this pipe. Before that, it locks the repository.
  const pipe = join(of.repository, 'index', '0'.repeat(64));
  execFileSync('mkfifo', [pipe]);
  const password = join(temporaryFolder(), 'password');
  await writeFile(password, of.password);
  const args = ['-r', of.repository, '--password-file', password, '--no-cache', 'prune'];
  const restic = spawn('restic', args, { stdio: 'ignore' });
  const exit = once(restic, 'exit');
  const locks = join(of.repository, 'locks');
  // restic writes a lock to a file with a longer name first.
  const hasLock = async (): Promise<boolean> =>
    (await readdir(locks)).some((name) => /^[0-9a-f]{64}$/.test(name));
  await waitFor(hasLock, { what: 'the lock of restic' });
  restic.kill('SIGKILL');
  await exit;
  await rm(pipe);
}
