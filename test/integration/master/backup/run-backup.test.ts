import { mkdir, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { backupPlaces } from '#master/backup/places.ts';
import { runBackup } from '#master/backup/run-backup.ts';
import { openSettings } from '#master/backup/settings.ts';
import { fakeRestic } from '#test/support/backup/restic.ts';
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
