import { mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataFolder } from '#master/store/data-folder.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Creates a data folder in which the folder with this name is a link to another folder. */
async function withLink(name: string) {
  const [data, other] = [temporaryFolder(), temporaryFolder()];
  await openDataFolder(data);
  await rename(join(data, name), `${other}/moved`);
  await symlink(`${other}/moved`, join(data, name));
  return { data, target: `${other}/moved` };
}

describe.skipIf(process.platform === 'win32')('the data folder', () => {
  it('can contain a link to a folder elsewhere, and the master then uses the path of the target', async () => {
    const { data, target } = await withLink('templates');
    expect(await openDataFolder(data)).toMatchObject({ templates: target, files: join(data, 'files') });
  });

  it.each(['templates', 'files', 'working-copies'])(
    'is refused if %s is a link and an SSH service could have created the link',
    async (name) => {
      const { data, target } = await withLink(name);
      await expect(openDataFolder(data, { hasSshService: true })).rejects.toMatchObject({
        code: 'DATA_FOLDER_UNSAFE',
        message: expect.stringContaining(`${join(data, name)} is a link to ${target}`) as string,
      });
    },
  );

  it('may be reached through a link and may have a linked folder for volumes, even with an SSH service', async () => {
    const { data } = await withLink('volumes');
    const link = join(temporaryFolder(), 'link');
    await symlink(data, link);
    await mkdir(join(data, 'services'), { recursive: true });
    expect(await openDataFolder(link, { hasSshService: true })).toMatchObject({
      root: link,
      templates: join(data, 'templates'),
    });
  });
});
