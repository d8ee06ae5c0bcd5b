import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { configureBackup } from '#master/backup/configure.ts';
import { putInPlace } from '#master/backup/put-in-place.ts';
import { restoreBackup, type RestoreOptions } from '#master/backup/restore-backup.ts';
import { runBackup } from '#master/backup/run-backup.ts';
import { hasRestic } from '#test/support/backup/restic.ts';
import { canMount, smallDisk } from '#test/support/files/small-disk.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Creates files, with their folders. */
async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, path), text);
  }
}

/** Lists the content of a folder, without the files of backups and of the lease. */
async function contents(folder: string): Promise<string[]> {
  const all = await readdir(folder, { recursive: true });
  return all.filter((path) => !/^(?:backup|run)(?:\/|$)/.test(path)).sort();
}

describe.skipIf(!hasRestic)('a restore to a data folder on several disks (needs restic)', () => {
  let there: string;
  let restore: (options?: Partial<RestoreOptions>) => Promise<unknown>;

  beforeEach(async () => {
    const old = temporaryFolder();
    await write(old, { 'config/key': 'of the backup', 'files/motd': 'hello', 'state/a': '{}' });
    await mkdir(join(old, 'templates'));
    const repository = join(temporaryFolder(), 'repository');
    const password = 'a password';
    await configureBackup({ dataFolder: old, repository, password, retention: {} });
    await runBackup({ dataFolder: old });
    there = temporaryFolder();
    await configureBackup({ dataFolder: there, repository, password, retention: {} });
    restore = (options = {}) =>
      restoreBackup({
        ...{ dataFolder: there, backup: undefined, replace: false, isNewer: () => false, ...options },
      });
  });

  it('changes nothing and is refused if a subfolder is a symbolic link', async () => {
    const disk = temporaryFolder();
    await write(there, { 'config/key': 'of this machine' });
    await symlink(disk, join(there, 'volumes'));
    const before = await contents(there);
    await expect(restore({ replace: true })).rejects.toMatchObject({
      code: 'RESTORE_REFUSED',
      message: expect.stringMatching(/volumes is a link, .*Remove the link/) as string,
    });
    expect(await contents(there)).toEqual(before);
  });

  it.skipIf(!canMount)(
    'changes nothing and is refused if a subfolder is a mount point (needs root)',
    async () => {
      await mkdir(join(there, 'volumes'));
      smallDisk(1, join(there, 'volumes'));
      await expect(restore()).rejects.toMatchObject({
        code: 'RESTORE_REFUSED',
        message: expect.stringContaining('volumes is a mount point') as string,
      });
      expect(await contents(there)).toEqual(['volumes']);
    },
  );

  it.skipIf(!canMount)('moves everything back if a subfolder cannot be moved (needs root)', async () => {
    await write(there, { 'config/key': 'of this machine', 'files/motd': 'bye', 'volumes/a': '' });
    const before = await contents(there);
    // Mount a disk only now, because the folder is checked before the backup is fetched.
    const onStep = (step: string): void => {
      if (step.startsWith('Verifying')) smallDisk(1, join(there, 'volumes'));
    };
    await expect(restore({ replace: true, onStep })).rejects.toMatchObject({
      code: 'RESTORE_REFUSED',
      message: expect.stringContaining('EBUSY') as string,
    });
    expect(await contents(there)).toEqual(before.filter((path) => path !== 'volumes/a'));
    expect(await readFile(join(there, 'config/key'), 'utf8')).toBe('of this machine');
    expect((await readdir(join(there, 'backup'))).filter((name) => name.startsWith('replaced'))).toEqual([]);
  });

  it('keeps a file that is created during the restore', async () => {
    let late = Promise.resolve();
    const onStep = (step: string): void => {
      if (step.startsWith('Verifying')) late = write(there, { 'state/late': 'kept' });
    };
    await expect(restore({ onStep })).rejects.toMatchObject({ code: 'RESTORE_REFUSED' });
    await late;
    expect(await contents(there)).toEqual(['state', 'state/late']);
  });
});

it('a restore that fails names the folder with the old data if it cannot move the data back', async () => {
  const dataFolder = temporaryFolder();
  const [built, aside] = [join(dataFolder, 'backup/restore/built'), join(dataFolder, 'backup/replaced')];
  await write(dataFolder, { 'config/key': 'old', 'state/a': 'old' });
  await write(built, { 'config/key': 'new', 'state/a': 'new' });
  let renames = 0;
  const putting = putInPlace({
    ...{ built, dataFolder, aside, existing: ['config', 'state'] },
    // The disk fails after both folders are moved aside.
    rename: (from, to) => (++renames > 2 ? Promise.reject(new Error('EIO')) : rename(from, to)),
  });
  await expect(putting).rejects.toMatchObject({
    code: 'RESTORE_INCOMPLETE',
    message: expect.stringContaining(aside) as string,
  });
  expect(await contents(aside)).toEqual(['config', 'config/key', 'state', 'state/a']);
});
