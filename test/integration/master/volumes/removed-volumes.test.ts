import { spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { canMount, mountSmallDisk } from '#test/support/files/small-disk.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ID = 'survival/1';

async function openVolumes(root: string): Promise<{ readonly volumes: Volumes; readonly folder: string }> {
  const folder = join(root, 'volumes');
  const settings = () => masterConfigSchema.parse({}).volumes;
  const options = { folder, copies: dataFolderAt(root), disks: noReserves(), settings, now: Date.now };
  return { volumes: await Volumes.open(options), folder };
}

it.skipIf(!canMount)('a volume is deleted completely or not at all (needs root)', async () => {
  const root = temporaryFolder();
  const { volumes, folder } = await openVolumes(root);
  await volumes.make('survival-1');
  // A folder that cannot be removed, because a disk is mounted there.
  const disk = 'saves/disk';
  await mkdir(join(folder, ID, disk));
  mountSmallDisk(1, join(folder, ID, disk));
  const hidden = async (): Promise<string[]> =>
    (await readdir(folder)).filter((name) => name.startsWith('.'));
  const unmount = async (): Promise<void> => {
    for (const place of [ID, ...(await hidden())]) spawnSync('umount', ['--lazy', join(folder, place, disk)]);
  };
  onTestFinished(unmount);
  await expect(volumes.remove(ID)).rejects.toMatchObject({ code: 'VOLUME_UNREADABLE' });
  expect(await readdir(join(folder, 'survival'))).toEqual([]);
  expect(await hidden()).toHaveLength(1);
  expect((await openVolumes(root)).volumes.all).toEqual([]);
  const again = await volumes.make('survival-1');
  expect(again.saves()).toEqual([]);
  await unmount();
  await openVolumes(root);
  expect(await hidden()).toEqual([]);
  expect(await readdir(join(folder, ID))).toEqual(['saves']);
});

it('the next master removes the files of a volume whose deletion was interrupted', async () => {
  const root = temporaryFolder();
  const { volumes, folder } = await openVolumes(root);
  await volumes.close();
  await mkdir(join(folder, '.removed-1/saves'), { recursive: true });
  await writeFile(join(folder, '.removed-1/volume.json'), '{}');
  expect((await openVolumes(root)).volumes.all).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});
