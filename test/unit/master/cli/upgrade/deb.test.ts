import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { debPackaging, runDpkg } from '#master/cli/upgrade/packages/deb.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const MD5SUMS = '0123456789abcdef0123456789abcdef  usr/lib/overworld-master/index.js\n';
const MARK = createHash('sha256').update(MD5SUMS).digest('hex');

/** Command of dpkg that needs its locks until its input ends. */
const LOCKING = ['--set-selections'];

/** Writes a database of dpkg in which the master's package has this state. */
async function writeDatabase(state: string): Promise<void> {
  const folder = temporaryFolder();
  for (const name of ['info', 'updates']) await mkdir(join(folder, name));
  const status = [
    ...['Package: overworld-master', `Status: install ok ${state}`, 'Maintainer: Overworld'],
    ...['Architecture: amd64', 'Version: 1.0.0', 'Description: master', ''],
  ];
  await writeFile(join(folder, 'status'), status.join('\n'));
  await writeFile(join(folder, 'info/overworld-master.list'), '/.\n');
  await writeFile(join(folder, 'info/overworld-master.md5sums'), MD5SUMS);
  vi.stubEnv('DPKG_ADMINDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
}

const isLocked = expect.objectContaining({
  code: 'COMMAND_FAILED',
  message: expect.stringContaining('locked by another process') as string,
}) as Error;

/** Starts another dpkg that holds the locks. @returns a function that ends it */
async function lockDatabase(): Promise<() => void> {
  const other = spawn('dpkg', LOCKING, { stdio: ['pipe', 'ignore', 'inherit'] });
  onTestFinished(() => void other.kill('SIGKILL'));
  // The lines of this file contain the process ids of the holders.
  const holds = (): boolean => readFileSync('/proc/locks', 'utf8').includes(` ${other.pid} `);
  await waitFor(holds, { what: 'the other dpkg to hold the locks' });
  return () => other.stdin.end();
}

describe.runIf(existsSync('/usr/bin/dpkg'))('an upgrade while another program installs packages', () => {
  beforeEach(() => writeDatabase('installed'));

  it('waits until the other program has ended', async () => {
    const end = await lockDatabase();
    const waiting = debPackaging.untilFree();
    end();
    await expect(waiting).resolves.toBeUndefined();
  });

  it('gives up after the maximum time', async () => {
    await lockDatabase();
    await expect(runDpkg(LOCKING, 0)).rejects.toThrow(isLocked);
  });

  it('needs no package for the return to the previous version if that version is still installed', async () => {
    await lockDatabase();
    await expect(debPackaging.goBack('/none.deb', MARK)).resolves.toBeUndefined();
  });
});

describe.runIf(existsSync('/usr/bin/dpkg'))('the installed package', () => {
  it.each([
    ['installed', true],
    ['half-configured', false],
    ['half-installed', false],
  ])('is read in the state %s (complete: %s)', async (state, isComplete) => {
    await writeDatabase(state);
    expect(await debPackaging.installed()).toMatchObject({ version: '1.0.0', arch: 'amd64', isComplete });
  });
});

describe.runIf(existsSync('/usr/bin/dpkg'))('the return to the previous version', () => {
  it.each([
    ['another version is installed', 'installed', 'another mark'],
    ['the installation of that version is not complete', 'half-configured', MARK],
  ])('installs the package of that version if %s', async (_case, state, mark) => {
    await writeDatabase(state);
    await expect(debPackaging.goBack('/none.deb', mark)).rejects.toThrow('/none.deb');
  });
});
