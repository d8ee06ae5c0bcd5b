import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configureBackup } from '#master/backup/configure.ts';
import { backupPlaces } from '#master/backup/places.ts';
import { runBackup } from '#master/backup/run-backup.ts';
import { openSettings } from '#master/backup/settings.ts';
import { fakeRestic, hasRestic, leaveExclusiveLock } from '#test/support/backup/restic.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

it('the reason for a failed backup is reported even if the status file cannot be written', async () => {
  const dataFolder = temporaryFolder();
  const { folder, password, status } = backupPlaces(dataFolder);
  await mkdir(folder, { mode: 0o700 });
  await writeFile(password, 'a password', { mode: 0o600 });
  const retention = { last: 1, daily: 1, weekly: 1 };
  const settings = await openSettings(dataFolder);
  await settings.update(() => ({
    ...{ repository: '/mnt/backup', retention, schedule: null, scheduledAt: null },
  }));
  // The script creates a folder at the path of the status file, because a file cannot replace a folder.
  await fakeRestic(`rm ${status}; mkdir ${status}; echo "the disk of the repository is gone" >&2; exit 1`);
  await expect(runBackup({ dataFolder })).rejects.toMatchObject({
    code: 'BACKUP_FAILED',
    message: expect.stringContaining('the disk of the repository is gone') as string,
  });
});

it.skipIf(!hasRestic)(
  'a backup removes a lock only if it was not renewed for 30 minutes, because a machine with the same host name may have made it (needs restic)',
  async () => {
    const [dataFolder, repository] = [temporaryFolder(), join(temporaryFolder(), 'repository')];
    for (const name of ['config', 'files', 'templates']) await mkdir(join(dataFolder, name));
    const password = 'a password';
    await configureBackup({ dataFolder, repository, password, retention: {} });
    // No process of this machine holds this lock, and restic itself would remove it.
    await leaveExclusiveLock({ repository, password });
    const locks = await readdir(join(repository, 'locks'));
    await expect(runBackup({ dataFolder })).rejects.toMatchObject({
      code: 'BACKUP_FAILED',
      message: expect.stringContaining('already locked exclusively') as string,
    });
    expect(await readdir(join(repository, 'locks'))).toEqual(locks);

    const later = (): number => Date.now() + 31 * 60_000;
    await expect(runBackup({ dataFolder, now: later })).resolves.toMatchObject({ remarks: [] });
    expect(await readdir(join(repository, 'locks'))).toEqual([]);
  },
);
