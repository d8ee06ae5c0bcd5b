import { createHash } from 'node:crypto';
import { existsSync, statfsSync, writeFileSync } from 'node:fs';
import { lstat, mkdir, readdir, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ServiceFolder } from '#master/runtime/process/service-folder.ts';
import { notePlaced, placeVolume, VolumeFiles } from '#master/runtime/process/volumes/volume-files.ts';
import { cloneNewFile } from '#master/templates/copy-file.ts';
import { DiskReserveReached, DiskReserves, noReserves } from '#master/store/disk-reserve.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const ALL = { persistentPaths: ['world'] };

async function aService(disks = noReserves()) {
  const folder = new ServiceFolder(temporaryFolder(), 'survival-1');
  await mkdir(join(folder.files, 'world'), { recursive: true });
  await mkdir(folder.run, { recursive: true });
  return {
    world: join(folder.files, 'world'),
    copies: join(folder.path, 'snapshot'),
    files: new VolumeFiles(folder, disks),
  };
}

describe("a snapshot of the persistent files of a service on the master's machine", () => {
  it('is refused if the paths of all files together are longer than 32 MiB', async () => {
    const { world, files } = await aService();
    const deep = join(world, ...Array.from({ length: 15 }, () => 'f'.repeat(245)));
    await mkdir(deep, { recursive: true });
    // Each path in the folder of the service has about 3,900 characters.
    const names = Array.from({ length: 8_800 }, (_, index) => String(index).padStart(200, '0'));
    for (const name of names) writeFileSync(join(deep, name), '');
    await expect(files.take(ALL, { copy: false })).rejects.toThrow(
      'the paths of its persistent files have more than 32 MiB',
    );
  });

  it('names at most 100 skipped files', async () => {
    const { world, files } = await aService();
    await writeFile(join(world, 'level.dat'), '');
    for (let link = 0; link <= 100; link += 1) await symlink('x', join(world, String(link)));
    await files.take(ALL, { copy: false });
    const { files: found, skipped } = await files.read();
    expect(found.map(({ path }) => path)).toEqual(['world/level.dat']);
    expect(skipped).toHaveLength(100);
  });

  it('copies again only files that have changed since they were copied', async () => {
    const { copies, world, files } = await aService();
    for (const name of ['same', 'changed', 'removed']) await writeFile(join(world, name), 'old');
    // Changes within 50 ms may be unnoticed, so the service always copies younger files again.
    await waitFor(async () => Date.now() - (await stat(join(world, 'removed'))).ctimeMs > 50);
    await files.take(ALL, { copy: true, isRepeated: true });
    const before = await identitiesIn(copies);
    expect(before).toHaveLength(3);
    await writeFile(join(world, 'changed'), 'new content');
    await rm(join(world, 'removed'));
    await writeFile(join(world, 'added'), 'added');
    await files.repeat();
    const { files: found } = await files.read();
    expect(Object.fromEntries(found.map(({ path, size, hash }) => [path, [size, hash]]))).toEqual({
      'world/added': [5, sha256('added')],
      'world/changed': [11, sha256('new content')],
      'world/same': [3, sha256('old')],
    });
    // Only the copies of the unchanged file and of the removed file are still the same.
    expect((await identitiesIn(copies)).filter((one) => before.includes(one))).toHaveLength(2);
  });

  it('leaves no copies if it fails, so that they do not keep a full disk full', async () => {
    const { copies, world, files } = await aService();
    await writeFile(join(world, 'level.dat'), 'old');
    await files.take(ALL, { copy: true, isRepeated: true });
    expect(await readdir(copies)).toHaveLength(1);
    const deep = join(world, ...Array.from({ length: 65 }, () => 'f'));
    await mkdir(deep, { recursive: true });
    await expect(files.repeat()).rejects.toThrow('is nested deeper than 64 folders');
    expect(existsSync(copies)).toBe(false);
  });

  it('copies no file that would use the reserve of the disk', async ({ skip }) => {
    const reserved = { bytes: 0 };
    const disks = new DiskReserves(() => reserved.bytes);
    const { copies, world, files } = await aService(disks);
    const probe = join(world, 'probe');
    await writeFile(probe, 'content');
    skip(await cloneNewFile(probe, `${probe}-2`, 0o600), 'copies share their blocks on this disk');
    const { bavail, bsize, blocks } = statfsSync(world);
    // A sparse file takes no space, but its copy may.
    await writeFile(join(world, 'r.0.0.mca'), '');
    await truncate(join(world, 'r.0.0.mca'), Math.min(bavail * bsize, 2 ** 43));
    reserved.bytes = Math.floor((blocks * bsize) / 4);
    await expect(files.take(ALL, { copy: true })).rejects.toThrow(DiskReserveReached);
    expect(existsSync(copies)).toBe(false);
  });

  it.each([true, false])('leaves no copies when it ends (stored: %s)', async (stored) => {
    const { copies, world, files } = await aService();
    await writeFile(join(world, 'level.dat'), 'content');
    await waitFor(async () => Date.now() - (await stat(join(world, 'level.dat'))).ctimeMs > 50);
    await files.take(ALL, { copy: true });
    await files.read();
    await files.end({ stored });
    expect(existsSync(copies)).toBe(false);
    // The next snapshot copies a file only if it is not known to be stored.
    await files.take(ALL, { copy: true });
    expect(await readdir(copies)).toHaveLength(stored ? 0 : 1);
  });
});

describe("a save that is placed in the folder of a service on the master's machine", () => {
  const file = (path: string) => ({ path, size: 0, mode: 0o644, hash: sha256(''), stamp: '' });
  const emptyFolder = (path: string) => ({ path, size: 0, mode: 0o755, hash: '', stamp: '' });

  async function place(given: readonly string[], entries: readonly ReturnType<typeof file>[]) {
    const folder = new ServiceFolder(temporaryFolder(), 'survival-1');
    const saved = join(temporaryFolder(), 'saved');
    await writeFile(saved, '');
    for (const path of given) {
      await mkdir(join(folder.files, dirname(path)), { recursive: true });
      await writeFile(join(folder.files, path), 'of the template');
    }
    await placeVolume(ALL, folder, { entries, pathOf: () => saved });
    return folder.files;
  }

  it('keeps its empty folders', async () => {
    const saved = [
      emptyFolder('world/datapacks/'),
      file('world/level.dat'),
      emptyFolder('world/region/old/'),
    ];
    const files = await place(['server.jar'], saved);
    expect((await readdir(files, { recursive: true })).sort()).toEqual([
      'server.jar',
      'world',
      'world/datapacks',
      'world/level.dat',
      'world/region',
      'world/region/old',
    ]);
    expect((await lstat(join(files, 'world/datapacks'))).isDirectory()).toBe(true);
  });

  it("replaces the template's files at a persistent path, even if the save has only an empty folder at this path", async () => {
    const files = await place(
      ['server.jar', 'world/datapacks', 'world/level.dat'],
      [emptyFolder('world/datapacks/')],
    );
    expect((await readdir(files, { recursive: true })).sort()).toEqual([
      'server.jar',
      'world',
      'world/datapacks',
    ]);
    expect((await lstat(join(files, 'world/datapacks'))).isDirectory()).toBe(true);
  });

  it("does not count for the template's file at a path that becomes persistent only later", async () => {
    const folder = new ServiceFolder(temporaryFolder(), 'survival-1');
    const path = 'plugins/a.yml';
    await mkdir(join(folder.files, 'plugins'), { recursive: true });
    await mkdir(folder.run, { recursive: true });
    await writeFile(join(folder.files, path), 'of the template');
    const placed = await placeVolume(ALL, folder, { entries: [file(path)], pathOf: (from) => from });
    await notePlaced(folder, placed, new Set());
    const files = new VolumeFiles(folder, noReserves());
    await files.take({ persistentPaths: ['world', 'plugins'] }, { copy: false });
    const { files: found } = await files.read();
    expect(found).toMatchObject([{ path, size: 15, hash: sha256('of the template') }]);
  });
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Describes each file. The description of a new file differs even if its name and inode are the same. */
async function identitiesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  const stats = await Promise.all(names.map((name) => stat(join(folder, name), { bigint: true })));
  return stats.map(({ ino, ctimeNs }) => `${ino} ${ctimeNs}`);
}
