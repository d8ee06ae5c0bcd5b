import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Staging } from '#master/files/tasks/fetch/staging.ts';
import { FolderReplaced } from '#master/templates/pinned-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Creates a data folder with the path of the staging folders, and a folder outside that contains a file. */
async function aDataFolder() {
  const [data, outside] = [temporaryFolder(), temporaryFolder()];
  await writeFile(join(outside, 'keys.json'), 'secret');
  return { folder: join(data, 'arriving'), outside };
}

describe('the staging folders', () => {
  it('are removed after their use, or by the next master if the previous master was killed', async () => {
    const { folder } = await aDataFolder();
    await mkdir(join(folder, 'task-old/deep'), { recursive: true });
    const staging = await Staging.open(folder, noReserves());
    const names = await staging.use(async (staged) => {
      await mkdir(join(staged.path, 'plugins'));
      return staged.names();
    });
    expect(names).toEqual(['plugins']);
    expect(await readdir(folder)).toEqual(['none']);
  });

  it.runIf(process.platform === 'linux')('are not created in the target of a link', async () => {
    const { folder, outside } = await aDataFolder();
    await symlink(outside, folder);
    const staging = await Staging.open(folder, noReserves());
    await staging.use(async ({ path }) => writeFile(join(path, 'new'), ''));
    const replace = async (): Promise<void> => {
      await rename(folder, `${folder}-aside`);
      await symlink(outside, folder);
    };
    await expect(staging.use(replace)).rejects.toThrow(FolderReplaced);
    await expect(staging.use(() => Promise.resolve())).rejects.toThrow(FolderReplaced);
    expect(await readdir(outside)).toEqual(['keys.json']);
  });
});
