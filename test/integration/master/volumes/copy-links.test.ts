import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { link, mkdir, readdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { takeIn } from '#master/templates/revisions/take-in.ts';
import type { Volume } from '#master/volumes/volume.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { startViews } from '#test/support/files/views-fixture.ts';
import { call, openSftp } from '#test/support/files/sftp.ts';
import { connect } from '#test/support/master/admin-master.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ID = 'survival/1';

/**
 * Opens the volumes in a data folder. The folder `config` contains a secret. Changes do not become a save
 * automatically.
 */
async function openVolumes(data = temporaryFolder()) {
  const paths = dataFolderAt(data);
  await mkdir(join(paths.config, 'sub'), { recursive: true });
  await writeFile(join(paths.config, 'sub', 'key'), 'secret');
  await writeFile(join(paths.config, 'key'), 'secret');
  let now = 1_000_000;
  const volumes = await Volumes.open({
    ...{ folder: paths.volumes, copies: paths, disks: noReserves(), quietMs: 3_600_000 },
    settings: () => masterConfigSchema.parse({}).volumes,
    now: () => (now += 1_000),
  });
  onTestFinished(() => volumes.close());
  const volume = await volumes.make('survival-1');
  return { volumes, volume, data, paths, copy: join(paths.workingCopies, ID) };
}

function write(volume: Volume, path: string, text: string): Promise<void> {
  return volume.workingCopy.change('alice', ({ folder }) => writeFile(join(folder, path), text));
}

/** Returns the content of all files below a folder. */
async function contentsBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')));
}

/** Returns the content of the newest save, by the paths of its files. */
async function newestOf(volume: Volume): Promise<Record<string, string>> {
  const lease = await volume.lease();
  const paths = (lease?.entries ?? []).map(({ path }) => path).filter((path) => !path.endsWith('/'));
  const texts = paths.map(async (path) => [path, await readFile(lease?.pathOf(path) ?? '', 'utf8')] as const);
  lease?.release();
  return Object.fromEntries(await Promise.all(texts));
}

describe.skipIf(process.platform === 'win32')(
  'a link or pipe that an attacker places among the working copies',
  () => {
    const places = {
      'the folder of all working copies': (top: string) => rename(top, `${top}-moved`).then(() => top),
      'the folder of the template': (top: string) => Promise.resolve(join(top, 'survival')),
      'the working copy itself': (top: string) =>
        mkdir(join(top, 'survival')).then(() => join(top, 'survival', '1')),
    };

    it.each(Object.entries(places))('is not followed when a copy is created: %s', async (_name, free) => {
      const { volume, paths } = await openVolumes();
      await symlink(paths.config, await free(paths.workingCopies));
      const before = await readdir(paths.config, { recursive: true });
      await expect(write(volume, 'file', 'text')).rejects.toMatchObject({ code: 'VOLUME_COPY_UNUSABLE' });
      expect(await readdir(paths.config, { recursive: true })).toEqual(before);
      expect(await readdir(paths.incoming)).toEqual([]);
    });

    it('is not followed when the master opens the volumes', async () => {
      const { data, paths } = await openVolumes();
      await mkdir(join(paths.config, '1'));
      await symlink(paths.config, join(paths.workingCopies, 'arena'));
      const { volumes } = await openVolumes(data);
      expect(volumes.all.map(({ id }) => id)).toEqual([ID]);
      expect(volumes.damaged).toEqual([]);
    });

    it('is not saved if it replaces the whole working copy', async () => {
      const { volume, paths, copy } = await openVolumes();
      await write(volume, 'file', 'text');
      await rm(copy, { recursive: true });
      await symlink(join(paths.config, 'sub'), copy);
      await expect(volume.settle('a test')).rejects.toMatchObject({ code: 'VOLUME_CHANGES_UNUSABLE' });
      await rm(join(paths.workingCopies, 'survival'), { recursive: true });
      await mkdir(join(paths.config, '1'));
      await writeFile(join(paths.config, '1', 'key'), 'secret');
      await symlink(paths.config, join(paths.workingCopies, 'survival'));
      await expect(volume.settle('a test')).rejects.toMatchObject({ code: 'VOLUME_COPY_UNUSABLE' });
      expect(volume.saves()).toEqual([]);
      expect(await contentsBelow(paths.volumes)).not.toContain('secret');
      expect(await contentsBelow(paths.config)).toEqual(['secret', 'secret', 'secret']);
    });

    it.each(['link to a folder', 'link to a file', 'pipe'])(
      'is not saved if it is a %s inside the working copy',
      async (what) => {
        const { volume, paths, copy } = await openVolumes();
        await write(volume, 'file', 'text');
        if (what === 'link to a folder') await symlink(join(paths.config, 'sub'), join(copy, 'world'));
        if (what === 'link to a file') await symlink(join(paths.config, 'key'), join(copy, 'key'));
        if (what === 'pipe') execFileSync('mkfifo', [join(copy, 'pipe')]);
        await expect(volume.settle('a test')).rejects.toMatchObject({ code: 'VOLUME_CHANGES_UNUSABLE' });
        expect(await contentsBelow(paths.volumes)).not.toContain('secret');
      },
    );

    it('is not taken into a save if it replaces a file after the file was read', async () => {
      const [folder, outside] = [await realpath(temporaryFolder()), temporaryFolder()];
      await writeFile(join(outside, 'key'), 'secret');
      await writeFile(join(folder, 'own'), 'secret');
      const entry = { path: 'world/file', size: 6, mode: 0o600, hash: '' };
      const to = join(outside, 'taken');
      const content = { path: join(folder, 'file'), inode: 1n, isFlushed: false };
      const taking = { entry, to, reserve: noReserves().of(folder) };
      for (const place of [
        () => symlink(join(outside, 'key'), content.path),
        () => link(join(outside, 'key'), content.path),
      ]) {
        await place();
        await expect(takeIn(content, taking)).rejects.toThrow('world/file was replaced by another file');
        await rm(content.path);
        await rm(to);
      }
      await symlink(outside, join(folder, 'world'));
      const below = { ...content, path: join(folder, 'world', 'key') };
      await expect(takeIn(below, taking)).rejects.toThrow('world/file was replaced by another file');
    });
  },
);

describe.skipIf(process.platform === 'win32')(
  'SFTP access to a volume whose working copy an attacker has changed',
  () => {
    async function openCopy() {
      const data = temporaryFolder();
      await mkdir(join(data, 'config'), { recursive: true });
      await writeFile(join(data, 'config', 'key'), 'secret');
      const views = await startViews(data);
      await views.addSave(ID, async (folder) => writeFile(join(folder, 'file'), 'text'));
      const client = await connect(views.master, await views.master.authorize('files'));
      onTestFinished(async () => {
        client.end();
        await views.volumes.close();
        await views.master.close();
      });
      const sftp = await openSftp(client);
      const at = `/volumes/${ID}`;
      await call((done) => sftp.writeFile(`${at}/changed`, 'text', done));
      const read = (path: string) =>
        call<Buffer>((done) => sftp.readFile(`${at}/${path}`, done)).then(String);
      return { data, sftp, at, read, copy: join(data, 'working-copies', ID) };
    }

    it('does not show the targets of links', async () => {
      const { data, sftp, at, read, copy } = await openCopy();
      await symlink(join(data, 'config'), join(copy, 'folder'));
      await symlink(join(data, 'config', 'key'), join(copy, 'key'));
      await expect(read('key')).rejects.toThrow('It is a link');
      await expect(read('folder/key')).rejects.toThrow();
      await expect(call<unknown>((done) => sftp.readdir(`${at}/folder`, done))).rejects.toThrow();
      expect(await read('file')).toBe('text');
      await rename(join(data, 'working-copies'), join(data, 'moved'));
      await symlink('config', join(data, 'working-copies'));
      await mkdir(join(data, 'config', ID), { recursive: true });
      await writeFile(join(data, 'config', ID, 'file'), 'secret');
      await expect(read('file')).rejects.toThrow('working copy');
    });

    it('is refused for pipes, and blocks no thread of the master', async () => {
      const { read, copy } = await openCopy();
      const names = Array.from({ length: 8 }, (_, index) => `pipe${index}`);
      execFileSync('mkfifo', names, { cwd: copy });
      const refused = await Promise.allSettled(names.map((name) => read(name)));
      expect(refused.map(({ status }) => status)).toEqual(Array(8).fill('rejected'));
      expect(await read('file')).toBe('text');
    });
  },
);

describe('a working copy that an earlier version of the master left in the folder of the volume', () => {
  async function withEarlierCopy() {
    const opened = await openVolumes();
    const { volume, volumes, copy, paths } = opened;
    await write(volume, 'file', 'text');
    await volumes.close();
    const earlier = join(paths.volumes, ID, 'working-copy');
    await rename(copy, earlier);
    return { ...opened, earlier };
  }

  it('is moved to the other working copies, and nothing of it is lost', async () => {
    const { data, copy, earlier } = await withEarlierCopy();
    const { volume } = await openVolumes(data);
    expect(volume.workingCopy.exists).toBe(true);
    expect(existsSync(earlier)).toBe(false);
    expect(await readFile(join(copy, 'file'), 'utf8')).toBe('text');
    await volume.attach('survival-1', 'node-1');
    expect(await newestOf(volume)).toEqual({ file: 'text' });
  });

  it('is saved after the current working copy, if the volume has one', async () => {
    const { data, copy, earlier } = await withEarlierCopy();
    await mkdir(copy, { recursive: true });
    await writeFile(join(copy, 'other'), 'other');
    const { volume } = await openVolumes(data);
    await volume.attach('survival-1', 'node-1');
    expect(volume.saves()).toHaveLength(2);
    expect(await newestOf(volume)).toEqual({ file: 'text' });
    expect([copy, earlier].filter((path) => existsSync(path))).toEqual([]);
  });
});

it('a volume whose folder is lost is created again from its working copy', async () => {
  const { volume, volumes, data, paths } = await openVolumes();
  await write(volume, 'file', 'text');
  await volumes.close();
  await rm(paths.volumes, { recursive: true });
  const next = await openVolumes(data);
  expect(next.volume.workingCopy.exists).toBe(true);
  await next.volume.settle('a test');
  expect(await newestOf(next.volume)).toEqual({ file: 'text' });
});
