import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { configureBackup } from '#master/backup/configure.ts';
import { restoreBackup } from '#master/backup/restore-backup.ts';
import { restoreNetwork } from '#master/backup/restore-network.ts';
import { runBackup } from '#master/backup/run-backup.ts';
import { saveAllChanges } from '#master/cli/commands/volumes/save-changes.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { CopyFolders } from '#master/volumes/copies/copy-place.ts';
import { hasRestic } from '#test/support/backup/restic.ts';
import { dropRights } from '#test/support/drop-rights.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const PASSWORD = 'a password';

/** Creates the folder that ext4 creates at the root of each disk. Only root may read it. */
async function asDisk(folder: string): Promise<void> {
  const lost = join(folder, 'lost+found');
  await mkdir(lost, { recursive: true });
  await chmod(lost, 0);
}

describe.skipIf(!hasRestic || process.platform === 'win32')(
  'on disks with a folder lost+found (needs restic)',
  () => {
    let data: string;
    let repository: string;

    beforeEach(async () => {
      dropRights();
      data = temporaryFolder();
      for (const name of ['config', 'files', 'state', 'templates', 'volumes', 'revisions'])
        await mkdir(join(data, name), { mode: 0o700 });
      await writeFile(join(data, 'config/host_key'), 'of the master');
      await writeFile(join(data, 'state/holds.json'), '{}');
      repository = join(temporaryFolder(), 'repository');
      await configureBackup({ dataFolder: data, repository, password: PASSWORD, retention: {} });
    });

    it.each(['volumes', 'revisions', 'templates', 'files', 'logs', 'state', 'config'])(
      'a backup is complete, without a remark, if a disk is mounted at %s/',
      async (name) => {
        await asDisk(join(data, name));
        await expect(runBackup({ dataFolder: data })).resolves.toMatchObject({ remarks: [] });
      },
    );

    it('no volume is found in a disk that is mounted at working-copies/', async () => {
      const workingCopies = join(data, 'working-copies');
      await asDisk(workingCopies);
      expect(await saveAllChanges(data)).toEqual([]);
      const paths = { workingCopies, incoming: join(data, 'incoming') };
      expect(await (await CopyFolders.open(paths, noReserves())).ids()).toEqual([]);
    });

    it('a restore succeeds if a disk is mounted at the data folder, and leaves lost+found where it is', async () => {
      await runBackup({ dataFolder: data });
      const fresh = temporaryFolder();
      await asDisk(fresh);
      const access = { repository, password: PASSWORD, environment: undefined };
      const restore = { dataFolder: fresh, backup: undefined, isNewer: () => false };
      expect(await restoreNetwork({ ...access, ...restore })).toMatchObject({ outcome: 'restored' });
      await writeFile(join(fresh, 'config/host_key'), 'changed after the backup');
      await restoreBackup({ ...restore, replace: true });
      expect(await readFile(join(fresh, 'config/host_key'), 'utf8')).toBe('of the master');
    });
  },
);
