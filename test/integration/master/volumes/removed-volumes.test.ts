import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { canMount, mountSmallDisk } from '#test/support/files/small-disk.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const ID = 'survival/1';

async function openVolumes(root: string) {
  const folder = join(root, 'volumes');
  const settings = () => masterConfigSchema.parse({}).volumes;
  const unremoved: string[] = [];
  const onUnremoved = (_: unknown, path: string) => void unremoved.push(path);
  const options = { folder, copies: dataFolderAt(root), disks: noReserves(), settings, now: Date.now };
  const volumes = await Volumes.open({ ...options, onUnremoved });
  onTestFinished(() => volumes.close());
  return { volumes, folder, unremoved };
}

it.skipIf(!canMount)('a volume is deleted completely or not at all (needs root)', async () => {
  const root = temporaryFolder();
  const { volumes, folder, unremoved } = await openVolumes(root);
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
  await volumes.remove(ID);
  expect(await readdir(join(folder, 'survival'))).toEqual([]);
  await waitFor(() => unremoved.length > 0);
  expect(await hidden()).toHaveLength(1);
  const next = await openVolumes(root);
  expect(next.volumes.all).toEqual([]);
  await waitFor(() => next.unremoved.length > 0);
  const again = await volumes.make('survival-1');
  expect(again.saves()).toEqual([]);
  await unmount();
  await openVolumes(root);
  await waitFor(async () => (await hidden()).length === 0);
  expect(await readdir(join(folder, ID))).toEqual(['saves']);
});

it('the next master removes the files of a volume whose deletion was interrupted', async () => {
  const root = temporaryFolder();
  const { volumes, folder } = await openVolumes(root);
  await volumes.close();
  await mkdir(join(folder, '.removed-1/saves'), { recursive: true });
  await writeFile(join(folder, '.removed-1/volume.json'), '{}');
  expect((await openVolumes(root)).volumes.all).toEqual([]);
  await waitFor(async () => (await readdir(folder)).length === 0);
});

it('a master that exits does not wait until a large deleted volume is removed', async () => {
  const root = temporaryFolder();
  const { folder } = await openVolumes(root);
  const left = join(folder, '.removed-1');
  await mkdir(left);
  for (let n = 0; n < 100; n++) writeFileSync(join(left, `${n}`), '');
  const { volumes, unremoved } = await openVolumes(root);
  await volumes.close();
  expect((await readdir(left)).length).toBeGreaterThan(0);
  expect(unremoved).toEqual([]);
  await openVolumes(root);
  await waitFor(async () => (await readdir(folder)).length === 0);
});
