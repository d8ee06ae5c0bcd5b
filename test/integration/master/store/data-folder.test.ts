import { mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataFolder } from '#master/store/data-folder.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** A data folder whose folder with this name is a link to another folder. */
async function withLink(name: string) {
  const [data, other] = [temporaryFolder(), temporaryFolder()];
  await openDataFolder(data);
  await rename(join(data, name), `${other}/moved`);
  await symlink(`${other}/moved`, join(data, name));
  return { data, target: `${other}/moved` };
}

describe.skipIf(process.platform === 'win32')('the data folder', () => {
  it('can have links to folders on other disks, which are then used without the link', async () => {
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

  it('is accepted with an SSH service if it is itself behind a link, or has a linked folder for volumes', async () => {
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
