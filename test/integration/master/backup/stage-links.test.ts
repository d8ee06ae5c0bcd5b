import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeStage } from '#master/backup/stage/stage.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { swapNames } from '#test/support/files/swap-names.ts';
import { runs } from '#test/support/fuzz/runs.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Number of backups that are collected while an attacker swaps names. */
const ROUNDS = runs({ change: 4, night: 200 });

/** A round lasts longer than other races, because files that are being replaced are read again after a pause. */
const timeout = 300_000 + 10_000 * ROUNDS;

/** A later time than that of all files, so that none of them counts as being written. */
const now = (): number => Date.now() + 60_000;

/** Creates a data folder, and beside it a folder with a secret that looks like the folder of all templates. */
async function dataFolderBesideSecret() {
  const [dataFolder, outside] = [temporaryFolder(), temporaryFolder()];
  for (const [folder, content] of [
    [join(dataFolder, 'templates'), 'harmless'],
    [outside, 'SECRET!!'],
  ] as const) {
    await mkdir(join(folder, 'lobby/plugins'), { recursive: true });
    for (let file = 0; file < 10; file += 1)
      await writeFile(join(folder, `lobby/plugins/${file}.yml`), `${content} ${file}`);
  }
  const stage = join(temporaryFolder(), 'stage');
  const collect = (linkedFolders = false) =>
    makeStage({ ...{ dataFolder, linkedFolders, stage, now }, reserve: noReserves().of(dataFolder) });
  /** Returns everything that a restore could create: the contents of all objects, and the list of the templates. */
  const collected = async (): Promise<string> => {
    const names = await readdir(join(stage, 'objects'), { recursive: true, withFileTypes: true });
    const objects = names.filter((entry) => entry.isFile());
    const texts = objects.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8'));
    return [...(await Promise.all(texts)), await readFile(join(stage, 'templates.json'), 'utf8')].join('\n');
  };
  return { ...{ dataFolder, outside }, collect, collected };
}

describe('a link in place of the folder of all templates', () => {
  it('is refused by a backup', async () => {
    const { dataFolder, outside, collect } = await dataFolderBesideSecret();
    await rm(join(dataFolder, 'templates'), { recursive: true });
    await symlink(outside, join(dataFolder, 'templates'));
    await expect(collect()).rejects.toMatchObject({
      code: 'DATA_FOLDER_UNSAFE',
      message: expect.stringContaining('--linked-folders') as string,
    });
  });

  it('is refused even if its target does not exist', async () => {
    const { dataFolder, outside, collect } = await dataFolderBesideSecret();
    await rm(join(dataFolder, 'templates'), { recursive: true });
    await symlink(join(outside, 'gone'), join(dataFolder, 'templates'));
    await expect(collect()).rejects.toMatchObject({ code: 'DATA_FOLDER_UNSAFE' });
  });

  it('is followed if a person allows it', async () => {
    const { dataFolder, outside, collect, collected } = await dataFolderBesideSecret();
    await rm(join(dataFolder, 'templates'), { recursive: true });
    await symlink(outside, join(dataFolder, 'templates'));
    await collect(true);
    expect(await collected()).toContain('SECRET!! 9');
  });
});

describe.runIf(process.platform === 'linux')('a backup contains no file from outside', () => {
  it.each([
    { what: 'the folder of all templates', swapped: 'templates', link: 'link', pauseMs: 100 },
    {
      what: 'a folder of a template',
      swapped: 'templates/lobby/plugins',
      link: 'templates/link.part',
      pauseMs: 1,
    },
    { what: 'a file', swapped: 'templates/lobby/plugins/1.yml', link: 'templates/link.part', pauseMs: 1 },
  ])('while $what and a link swap their names', { timeout }, async ({ swapped, link, pauseMs }) => {
    const { dataFolder, outside, collect, collected } = await dataFolderBesideSecret();
    await symlink(join(outside, swapped.replace(/^templates\/?/, '')), join(dataFolder, link));
    await swapNames({ folder: dataFolder, names: [swapped, link], pauseMs });
    let complete = 0;
    while (complete < ROUNDS) {
      const isComplete = await collect().then(
        () => true,
        () => false,
      );
      if (!isComplete) continue;
      complete += 1;
      expect(await collected()).not.toContain('SECRET');
    }
  });
});
