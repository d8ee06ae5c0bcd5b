import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeStage, type StageOptions } from '#master/backup/stage/stage.ts';
import { removeTree } from '#master/templates/pinned-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { makeDeepFolder, makeNestedFolders } from '#test/support/files/deep-folder.ts';
import { swapNames } from '#test/support/files/swap-names.ts';
import { runs } from '#test/support/fuzz/runs.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Number of backups that are collected while an attacker swaps names. */
const ROUNDS = runs({ change: 4, night: 200 });

/** A round takes longer than in other races, because files that are being replaced are read again after a pause. */
const timeout = 300_000 + 10_000 * ROUNDS;

/** Returns a time that is later than the times of all files, so that no file counts as being written. */
const now = (): number => Date.now() + 60_000;

/** Creates a data folder, and outside of it a folder with a secret that looks like the folder of all templates. */
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
  await mkdir(join(dataFolder, 'files'));
  const stage = join(temporaryFolder(), 'stage');
  const collect = async (linkedFolders = false, disks: StageOptions['disks'] = noReserves()) => {
    await rm(stage, { recursive: true, force: true });
    return makeStage({ dataFolder, linkedFolders, folders: { stage, onOwnDisk: new Map() }, now, disks });
  };
  /** Returns all data that a restore could create: the contents of all objects, and the list of the templates. */
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

describe.runIf(process.platform === 'linux')('a backup has no file from outside of the data folder', () => {
  it.each([
    { swapped: 'lobby/plugins', other: 'a link' },
    { swapped: 'lobby/plugins/1.yml', other: 'a link' },
    { swapped: 'lobby/plugins/1.yml', other: 'a pipe' },
    { swapped: 'lobby/plugins/1.yml', other: 'a folder' },
  ])('while $swapped of a template and $other swap their names', { timeout }, async ({ swapped, other }) => {
    const { dataFolder, outside, collect, collected } = await dataFolderBesideSecret();
    const folder = join(dataFolder, 'templates');
    if (other === 'a link') await symlink(join(outside, swapped), join(folder, 'other.part'));
    else execFileSync(other === 'a pipe' ? 'mkfifo' : 'mkdir', [join(folder, 'other.part')]);
    await swapNames({ folder, names: [swapped, 'other.part'], pauseMs: 1 });
    for (let round = 0; round < ROUNDS; round += 1) {
      // The swaps do not make the backup fail.
      await collect();
      expect(await collected()).not.toContain('SECRET');
    }
  });

  it('while the folder of all templates and a link swap their names', { timeout }, async () => {
    const { dataFolder, outside, collect, collected } = await dataFolderBesideSecret();
    await symlink(outside, join(dataFolder, 'link'));
    await swapNames({ folder: dataFolder, names: ['templates', 'link'], pauseMs: 100 });
    for (let complete = 0; complete < ROUNDS;) {
      const refusal = await collect().then(
        () => null,
        (error: unknown) => error as Error,
      );
      if (refusal !== null) {
        expect(refusal.message).toMatch(/is a link to|was replaced by a link/);
        continue;
      }
      complete += 1;
      expect(await collected()).not.toContain('SECRET');
    }
  });
});

describe.runIf(process.platform === 'linux')('a backup of a folder that people edit', () => {
  it.each(['templates', 'files'])('fails if %s is missing, instead of storing nothing', async (name) => {
    const { dataFolder, collect } = await dataFolderBesideSecret();
    await rename(join(dataFolder, name), join(dataFolder, 'elsewhere'));
    await expect(collect()).rejects.toThrow(`${name} does not exist`);
  });

  it('succeeds although folders are created, renamed and removed meanwhile', { timeout }, async () => {
    const { dataFolder, collect, collected } = await dataFolderBesideSecret();
    const busy = (name: string): string => join(dataFolder, 'templates/lobby', name);
    const over = new AbortController();
    const changes = (async () => {
      while (!over.signal.aborted) {
        await mkdir(busy('one/inner'), { recursive: true });
        await rename(busy('one'), busy('other'));
        await rm(busy('other'), { recursive: true });
      }
    })();
    onTestFinished(async () => {
      over.abort();
      await changes;
    });
    for (let round = 0; round < 5 * ROUNDS; round += 1) {
      await collect();
      expect(await collected()).toContain('harmless 9');
    }
  });

  it.each([
    { what: 'is renamed', names: ['renamed'] },
    { what: 'is moved away, and back', names: ['../aside', 'itself'] },
  ])('contains a subfolder that $what while the backup reads other folders', async ({ names }) => {
    const { dataFolder, collect, collected } = await dataFolderBesideSecret();
    const files = join(dataFolder, 'files');
    for (const name of ['one', 'two', 'three']) {
      await mkdir(join(files, name));
      await writeFile(join(files, name, 'file'), `content of ${name}`);
    }
    const listed = await readdir(files);
    const moved = listed[1] ?? '';
    let at = join(files, moved);
    // This function is called before each file of these folders is copied. It moves the second folder before the
    // folder is read.
    const use = async <T>(bytes: number, work: () => Promise<T>): Promise<T> => {
      const next = bytes >= 'content of one'.length ? names.shift() : undefined;
      if (next !== undefined) {
        const to = join(files, next === 'itself' ? moved : next);
        await rename(at, to);
        at = to;
      }
      return work();
    };
    await collect(false, { of: () => ({ use }) as never });
    for (const name of listed) expect(await collected()).toContain(`content of ${name}`);
  });

  it('leaves out paths that are too long for a restore, and adds a remark about each of them', async () => {
    const { dataFolder, collect, collected } = await dataFolderBesideSecret();
    const files = join(dataFolder, 'files');
    onTestFinished(() => removeTree(files));
    await makeDeepFolder(files);
    await makeNestedFolders(files, 300);
    const { remarks } = await collect();
    expect(remarks.sort()).toEqual([
      expect.stringMatching(/^The path that begins with files\/deep\/.* is too long/),
      expect.stringMatching(/^The path that begins with files\/n\/n\/.* is too long/),
    ]);
    expect(await collected()).toContain('harmless 9');
  });

  it('has a limited number of remarks', async () => {
    const { dataFolder, collect } = await dataFolderBesideSecret();
    const pipes = Array.from({ length: 150 }, (_, index) => join(dataFolder, 'files', `pipe-${index}`));
    execFileSync('mkfifo', pipes);
    const { remarks } = await collect();
    expect(remarks).toHaveLength(101);
    expect(remarks.at(-1)).toContain('50 more');
  });
});
