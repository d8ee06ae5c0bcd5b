import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configureBackup } from '#master/backup/configure.ts';
import { backupPlaces } from '#master/backup/places.ts';
import { listBackups } from '#master/backup/repository/repository.ts';
import { Restic } from '#master/backup/repository/restic.ts';
import { runBackup } from '#master/backup/run-backup.ts';
import { openSettings } from '#master/backup/settings.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { BusyData, inspect } from '#test/support/backup/busy-data.ts';
import { fakeRestic, hasRestic, leaveExclusiveLock } from '#test/support/backup/restic.ts';
import { restoreElsewhere } from '#test/support/backup/restore-elsewhere.ts';
import { canMount, smallDisk } from '#test/support/files/small-disk.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Runs shell code before each start of the real restic. Returns the folder in `$HERE`. */
function resticAfter(code: string): Promise<string> {
  const real = execFileSync('which', ['restic'], { encoding: 'utf8' }).trim();
  return fakeRestic(`${code}; exec ${real} "$@"`);
}

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
      code: 'BACKUP_REPOSITORY_LOCKED',
      message: expect.stringMatching(/already locked exclusively.* wait 30 minutes/) as string,
    });
    expect(await readdir(join(repository, 'locks'))).toEqual(locks);

    const later = (): number => Date.now() + 31 * 60_000;
    await expect(runBackup({ dataFolder, now: later })).resolves.toMatchObject({ remarks: [] });
    expect(await readdir(join(repository, 'locks'))).toEqual([]);
  },
);

it.skipIf(!hasRestic)(
  'a backup is complete even if the removal of older backups is killed, and says what to do (needs restic)',
  async () => {
    const [dataFolder, repository] = [temporaryFolder(), join(temporaryFolder(), 'repository')];
    for (const name of ['config', 'files', 'templates']) await mkdir(join(dataFolder, name));
    await configureBackup({ dataFolder, repository, password: 'a password', retention: {} });
    await resticAfter('[ "$1" = forget ] && kill -9 $$');
    const { id, remarks } = await runBackup({ dataFolder });
    expect(remarks).toEqual([
      'This backup is complete, but older backups could not be removed: restic ended with signal SIGKILL. The next backup tries again. If it fails, too, check the repository: overworld-master backup check.',
    ]);
    const restic = await Restic.open(repository, backupPlaces(dataFolder));
    expect(await listBackups(restic)).toMatchObject([{ id }]);
  },
);

it.skipIf(!hasRestic || !canMount).each(['volumes', 'revisions'] as const)(
  'a backup copies no save and no revision even if %s/ is on a disk of its own, and can be restored (needs restic and root)',
  async (name) => {
    const [dataFolder, repository] = [temporaryFolder(), join(temporaryFolder(), 'repository')];
    const { templates, [name]: ownDisk } = dataFolderAt(dataFolder);
    await mkdir(ownDisk);
    smallDisk(4, ownDisk);
    await mkdir(join(templates, 'lobby'), { recursive: true });
    await writeFile(join(templates, 'lobby', 'motd.txt'), 'a content that no save has');
    const busy = new BusyData(dataFolder);
    const writing = busy.run();
    await waitFor(() => busy.revision > 0);
    busy.stop();
    await writing;
    const password = 'a password';
    await configureBackup({ dataFolder, repository, password, retention: {} });
    const here = await resticAfter(
      `[ "$1" = backup ] && find -L . -path '*/objects/*' -type f -printf '%n\\n' > $HERE/links`,
    );
    // A backup was killed before the disk was mounted.
    await mkdir(join(dataFolder, 'backup', 'stage', 'objects'), { recursive: true });
    await expect(runBackup({ dataFolder })).resolves.toMatchObject({ remarks: [] });
    const links = (await readFile(join(here, 'links'), 'utf8')).trim().split('\n').map(Number);
    expect(Math.min(...links)).toBeGreaterThan(1);
    expect(await readdir(ownDisk)).not.toContain('.backup-stage');
    expect(await readdir(join(dataFolder, 'backup'))).not.toContain('stage');

    const found = await inspect(await restoreElsewhere(repository, password));
    expect(found).toEqual({ save: busy.acknowledged, revision: busy.revision, faults: [] });
  },
);
