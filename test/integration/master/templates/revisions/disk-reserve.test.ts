import { appendFile, readdir, rm, stat, statfs, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DiskReserves } from '#master/store/disk-reserve.ts';
import { KEPT_REVISIONS } from '#master/templates/revisions/revision-keeping.ts';
import type { TemplateFolders } from '#master/templates/template-files.ts';
import {
  openTemplates,
  settled,
  templatePlace,
  writeTemplate,
  type TemplatePlace,
} from '#test/support/files/template-fixture.ts';
import { canMount, smallDisk } from '#test/support/files/small-disk.ts';
import { waitFor } from '#test/support/wait-for.ts';

const MB = 1_048_576;
const RESERVE = 4 * MB;

/** Creates templates on a disk of 16 MB. A quarter of the disk is reserved. */
async function onSmallDisk(): Promise<{ where: TemplatePlace; disk: string; folders: TemplateFolders }> {
  const disk = smallDisk(16);
  const where = { root: join(disk, 'templates'), revisions: join(disk, 'revisions') };
  await writeTemplate(where, { 'server.properties': 'motd=Hello\n' });
  const folders = await openTemplates(where, { disks: new DiskReserves(() => 1024 * MB) });
  await settled(folders);
  return { where, disk, folders };
}

async function freeBytes(disk: string): Promise<number> {
  const { bavail, bsize } = await statfs(disk);
  return bavail * bsize;
}

describe.skipIf(!canMount)('the revisions of templates on a disk with a reserve', () => {
  it('are not stored until the copy fits on the disk without using the reserve', async () => {
    const { where, disk, folders } = await onSmallDisk();
    const world = join(where.root, 'lobby', 'world.dat');
    await writeFile(world, Buffer.alloc(7 * MB, 1));
    const { problem } = await waitFor(() => {
      const state = folders.state('lobby');
      return state.problem === null ? null : state;
    });
    expect(problem).toMatch(
      /^Its files cannot be stored as a revision\. The master's disk has .* This needs 7 MB\./,
    );
    expect(await freeBytes(disk)).toBeGreaterThanOrEqual(RESERVE);
    await truncate(world, MB);
    await waitFor(() => folders.state('lobby').problem === null && folders.state('lobby').revision !== null);
    expect((await folders.revisions('lobby')).length).toBe(2);
  });

  it('count a file with holes as its full size, because a copy fills the holes', async () => {
    const { where, disk, folders } = await onSmallDisk();
    const before = await freeBytes(disk);
    await writeFile(join(where.root, 'lobby', 'sparse.dat'), '');
    await truncate(join(where.root, 'lobby', 'sparse.dat'), 1024 * MB);
    const problem = await waitFor(() => folders.state('lobby').problem);
    expect(problem).toContain('This needs 1024 MB');
    expect(await freeBytes(disk)).toBeGreaterThan(before - MB);
  });

  it('share files that have not changed, and need space only for changes', async () => {
    const where = templatePlace();
    const folder = await writeTemplate(where, { 'server.properties': '' });
    await writeFile(join(folder, 'world.dat'), Buffer.alloc(MB, 1));
    const folders = await openTemplates(where);
    let { revision } = await settled(folders);
    for (let change = 0; change < KEPT_REVISIONS + 2; change += 1) {
      await appendFile(join(folder, 'server.properties'), `line=${change}\n`);
      ({ revision } = await settled(folders, revision));
    }
    const stored = (await readdir(join(where.revisions, 'lobby'))).filter((name) => !name.includes('.'));
    expect(stored.length).toBe(KEPT_REVISIONS);
    const files = await Promise.all(
      stored.map((name) => stat(join(where.revisions, 'lobby', name, 'world.dat'))),
    );
    expect(new Set(files.map(({ ino }) => ino)).size).toBe(1);
  });

  it('are neither restored nor copied to a new template if this would use the reserve', async () => {
    const { where, disk, folders } = await onSmallDisk();
    const folder = join(where.root, 'lobby');
    const { revision } = folders.state('lobby');
    await writeFile(join(folder, 'world.dat'), Buffer.alloc(3 * MB, 1));
    const { revision: large } = await settled(folders, revision);
    await rm(join(folder, 'world.dat'));
    await settled(folders, large);
    await writeFile(join(disk, 'ballast'), Buffer.alloc(7 * MB));
    const reserved = { code: 'DISK_RESERVED' };
    await expect(folders.restore('lobby', large ?? '')).rejects.toMatchObject(reserved);
    expect(await readdir(folder)).toEqual(['server.properties']);
    await rm(join(disk, 'ballast'));
    await folders.restore('lobby', large ?? '');
    await settled(folders, revision);
    await writeFile(join(disk, 'ballast'), Buffer.alloc(4 * MB));
    await expect(folders.duplicate('lobby', 'arena')).rejects.toMatchObject(reserved);
    expect(await readdir(where.root)).toEqual(['lobby']);
  });
});
