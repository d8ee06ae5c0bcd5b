import { cp, link, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DiskReserve, DiskReserves } from '#master/store/disk-reserve.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import type { Volumes } from '#master/volumes/volumes.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { ID, openVolumes, SERVICE, textsOf, write } from '#test/support/master/working-copies.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Disk with room for 50 bytes. */
class FullDisk extends DiskReserves {
  override of(): DiskReserve {
    const space = { freeBytes: 300, totalBytes: 1_000, freeFiles: 0, totalFiles: 0 };
    return new DiskReserve({ measure: () => space, reserveBytes: () => 250, now: () => 0 });
  }
}

/** Makes a save with these files: path → text. */
async function addSave(
  { volumes, folder }: { readonly volumes: Volumes; readonly folder: string },
  files: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(join(folder, 'import-1', 'world'), { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, 'import-1', path), text);
  await volumes.import(ID, 'import-1', 'a test');
  await rm(join(folder, 'import-1'), { recursive: true });
}

describe('changes that are made over SFTP to the files of a volume', () => {
  it('become the newest save after some time without further changes', async () => {
    const opened = await openVolumes({ quietMs: 50 });
    await addSave(opened, { 'world/level.dat': 'old', 'world/other': 'other' });
    const { volume, copy } = opened;
    await write(volume, 'world/level.dat', 'new');
    await waitFor(() => !volume.workingCopy.exists);
    expect(await textsOf(volume)).toEqual({ 'world/level.dat': 'new', 'world/other': 'other' });
    const [newest, before] = volume.saves();
    expect(newest).toMatchObject({ cause: 'changed over SFTP by alice', current: true, node: null });
    expect(await textsOf(volume, before?.save)).toEqual({ 'world/level.dat': 'old', 'world/other': 'other' });
    expect(existsSync(copy)).toBe(false);
    // Wait until the working copy is deleted, which happens after the save.
    await waitFor(async () => (await readdir(join(opened.folder, ID))).length === 2);
    expect((await readdir(join(opened.folder, ID))).sort()).toEqual(['saves', 'volume.json']);
  });

  it('never modify an existing save, because the working copy shares no files with it', async () => {
    const opened = await openVolumes();
    await addSave(opened, { 'world/level.dat': 'old' });
    const { volume, copy } = opened;
    await write(volume, 'world/level.dat', 'new');
    const lease = await volume.lease(volume.saves()[0]?.save);
    const [saved, copied] = [
      await stat(lease?.pathOf('world/level.dat') ?? ''),
      await stat(join(copy, 'world/level.dat')),
    ];
    expect(saved.ino).not.toBe(copied.ino);
    expect(await readFile(lease?.pathOf('world/level.dat') ?? '', 'utf8')).toBe('old');
  });

  it('create no save if they cancel each other out', async () => {
    const opened = await openVolumes();
    await addSave(opened, { 'world/level.dat': 'old' });
    await write(opened.volume, 'world/new', 'new');
    await opened.volume.workingCopy.change('alice', ({ folder }) => rm(join(folder, 'world/new')));
    await opened.volume.settle('a test');
    expect(opened.volume.saves()).toHaveLength(1);
    expect(opened.volume.workingCopy.exists).toBe(false);
  });

  it('are continued by the next master if the master is killed', async () => {
    const opened = await openVolumes();
    await addSave(opened, { 'world/level.dat': 'old' });
    await write(opened.volume, 'world/level.dat', 'new');
    const { volume } = await openVolumes({ data: opened.data });
    expect(volume.workingCopy.exists).toBe(true);
    await write(volume, 'world/second', 'second');
    await volume.attach(SERVICE, 'node-1');
    expect(await textsOf(volume)).toEqual({ 'world/level.dat': 'new', 'world/second': 'second' });
  });

  it('become a save after a restart of the master, even without further changes', async () => {
    const opened = await openVolumes();
    await write(opened.volume, 'first', 'first');
    const { volume } = await openVolumes({ data: opened.data, quietMs: 50 });
    await waitFor(() => volume.saves()[0]?.cause === 'changed over SFTP');
    expect(await textsOf(volume)).toEqual({ first: 'first' });
  });

  it('are stored only once if the master is killed before it removes the working copy', async () => {
    const opened = await openVolumes();
    await write(opened.volume, 'first', 'first');
    const kept = temporaryFolder();
    await cp(opened.copy, join(kept, 'copy'), { recursive: true });
    await opened.volume.settle('a test');
    await cp(join(kept, 'copy'), opened.copy, { recursive: true });
    const { volume } = await openVolumes({ data: opened.data });
    await volume.attach(SERVICE, 'node-1');
    expect(volume.saves()).toHaveLength(1);
    expect(await textsOf(volume)).toEqual({ first: 'first' });
    expect(existsSync(opened.copy)).toBe(false);
  });

  it('do not modify an existing save, even if a killed master has left a working copy that shares its files', async () => {
    const opened = await openVolumes();
    await write(opened.volume, 'file', 'saved');
    const kept = join(opened.data, 'kept');
    await mkdir(kept);
    await link(join(opened.copy, 'file'), join(kept, 'file'));
    await opened.volume.settle('a test');
    // Restore the working copy, as if the master had been killed before it removed the copy. Its files are also the
    // files of the save.
    await rename(kept, opened.copy);
    const { volume } = await openVolumes({ data: opened.data });
    const [first] = volume.saves();
    await write(volume, 'file', 'other');
    await volume.settle('a test');
    expect(await textsOf(volume, first?.save)).toEqual({ file: 'saved' });
    expect(await textsOf(volume)).toEqual({ file: 'other' });
  });

  it('do not modify a save whose facts could not be stored', async () => {
    const { volume, folder } = await openVolumes();
    await write(volume, 'file', 'saved');
    const facts = join(folder, ID, 'volume.json');
    await symlink('nowhere', facts);
    await expect(volume.settle('a test')).rejects.toThrow();
    await rm(facts);
    const [first] = volume.saves();
    await write(volume, 'file', 'other');
    await volume.settle('a test');
    expect(await textsOf(volume, first?.save)).toEqual({ file: 'saved' });
    expect(await textsOf(volume)).toEqual({ file: 'other' });
  });

  it('are possible while earlier changes cannot become a save', async () => {
    const { volume, folder } = await openVolumes();
    await write(volume, 'file', 'first');
    const saves = join(folder, ID, 'saves');
    await rename(saves, `${saves}.aside`);
    await writeFile(saves, 'not a folder');
    await expect(volume.settle('a test')).rejects.toThrow();
    await write(volume, 'file', 'second');
    await rm(saves);
    await rename(`${saves}.aside`, saves);
    await volume.settle('a test');
    expect(await textsOf(volume)).toEqual({ file: 'second' });
  });

  it('leave the volume as it was if the master is killed while it creates the working copy', async () => {
    const opened = await openVolumes();
    await addSave(opened, { 'world/level.dat': 'old' });
    const { incoming } = dataFolderAt(opened.data);
    await mkdir(join(incoming, 'incoming-abc', 'copy'), { recursive: true });
    const { volume } = await openVolumes({ data: opened.data });
    expect(volume.workingCopy.exists).toBe(false);
    expect(await readdir(incoming)).toEqual([]);
    expect(await textsOf(volume)).toEqual({ 'world/level.dat': 'old' });
  });
});

describe('a backup of a changed volume', () => {
  it('makes a save of the changes only if no file is open', async () => {
    const { volume } = await openVolumes();
    const hold = await volume.workingCopy.change('alice', async ({ folder, hold: open }) => {
      await writeFile(join(folder, 'file'), 'part');
      return { ...open(), path: join(folder, 'file') };
    });
    const refused = { code: 'VOLUME_BEING_CHANGED', details: { volume: ID } };
    await expect(volume.settle('a test', true)).rejects.toMatchObject(refused);
    expect(volume.saves()).toEqual([]);
    await hold.run(() => writeFile(hold.path, 'whole'));
    hold.release();
    await volume.settle('a test', true);
    expect(await textsOf(volume)).toEqual({ file: 'whole' });
  });
});

describe('a service that starts on a changed volume', () => {
  it('gets all changes, and files that are open for writing are closed', async () => {
    const { volume } = await openVolumes();
    const hold = await volume.workingCopy.change('alice', async ({ folder, hold: open }) => {
      await writeFile(join(folder, 'file'), 'part');
      return open();
    });
    await volume.attach(SERVICE, 'node-1');
    expect(await textsOf(volume)).toEqual({ file: 'part' });
    const ran: string[] = [];
    const late = hold.run(() => Promise.resolve(ran.push('written')));
    await expect(late).rejects.toThrow('because survival-1 starts');
    await expect(late).rejects.toMatchObject({ code: 'VOLUME_FILE_CLOSED' });
    expect(ran).toEqual([]);
    hold.release();
    await expect(write(volume, 'file', 'whole')).rejects.toMatchObject({
      code: 'VOLUME_IN_USE',
      details: { service: SERVICE, node: 'node-1' },
    });
    await volume.detach(SERVICE, 'node-1');
    await write(volume, 'file', 'whole');
    await volume.settle('a test');
    expect(await textsOf(volume)).toEqual({ file: 'whole' });
  });

  it('waits for a write in progress', async () => {
    const { volume } = await openVolumes();
    let finish = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      void volume.workingCopy.change('alice', async ({ folder }) => {
        resolve();
        await new Promise<void>((done) => (finish = done));
        await writeFile(join(folder, 'file'), 'late');
      });
    });
    await begun;
    const attached = volume.attach(SERVICE, 'node-1');
    const later = expect(write(volume, 'other', 'other')).rejects.toMatchObject({ code: 'VOLUME_IN_USE' });
    finish();
    await attached;
    expect(await textsOf(volume)).toEqual({ file: 'late' });
    await later;
  });

  it('does not start until the changes can become a save, and the changes are kept meanwhile', async () => {
    const { volume, copy } = await openVolumes();
    await write(volume, 'file', 'text');
    await symlink('/etc/passwd', join(copy, 'link'));
    const attached = volume.attach(SERVICE, 'node-1');
    await expect(attached).rejects.toMatchObject({ code: 'VOLUME_CHANGES_UNUSABLE' });
    await expect(attached).rejects.toThrow('cannot become a save: link ');
    expect(volume.attachment).toBeNull();
    await volume.workingCopy.change('alice', ({ folder }) => rm(join(folder, 'link')));
    await volume.attach(SERVICE, 'node-1');
    expect(await textsOf(volume)).toEqual({ file: 'text' });
  });

  it('gets all confirmed changes, whenever it starts and whenever a save is made', async () => {
    const { volume } = await openVolumes({ quietMs: 1 });
    const acknowledged: string[] = [];
    const refused = new Set<unknown>();
    const client = async (name: string): Promise<void> => {
      for (let n = 0; n < 6; n++) {
        try {
          await write(volume, `${name}-${n}`, `${name}-${n}`);
          acknowledged.push(`${name}-${n}`);
        } catch (error) {
          refused.add(error instanceof OverworldError ? error.code : error);
          return;
        }
      }
    };
    const lost = async (promised: readonly string[]): Promise<string[]> => {
      const saved = await textsOf(volume);
      return promised.filter((path) => saved[path] !== path);
    };
    for (let round = 0; round < 10; round++) {
      const enough = acknowledged.length + round;
      const clients = Promise.all(['a', 'b', 'c'].map((name) => client(`${name}${round}`)));
      await waitFor(() => acknowledged.length >= enough);
      const promised = [...acknowledged];
      await volume.attach(SERVICE, 'node-1');
      expect(await lost(promised)).toEqual([]);
      await clients;
      await volume.detach(SERVICE, 'node-1');
    }
    await volume.settle('a test');
    expect(await lost(acknowledged)).toEqual([]);
    expect([...refused].filter((code) => code !== 'VOLUME_IN_USE')).toEqual([]);
  });
});

describe('while a volume is changed over SFTP', () => {
  it('a restore, an import and a clone first make a save of the changes', async () => {
    const opened = await openVolumes();
    const { volume, volumes } = opened;
    await addSave(opened, { 'world/level.dat': 'first' });
    const first = volume.saves()[0]?.save ?? '';
    await write(volume, 'world/level.dat', 'second');
    await volumes.clone({ from: ID, to: 'survival/2' }, 'a test');
    expect(await textsOf(volumes.get('survival/2'))).toEqual({ 'world/level.dat': 'second' });
    await write(volume, 'world/level.dat', 'third');
    await volume.restore(first, 'a test');
    expect(await textsOf(volume)).toEqual({ 'world/level.dat': 'first' });
    await write(volume, 'world/level.dat', 'fourth');
    await addSave(opened, { 'world/level.dat': 'imported' });
    expect(await textsOf(volume)).toEqual({ 'world/level.dat': 'imported' });
    const texts = await Promise.all(volume.saves().map(({ save }) => textsOf(volume, save)));
    expect(texts.map((files) => files['world/level.dat'])).toEqual([
      'imported',
      'fourth',
      'first',
      'third',
      'second',
    ]);
  });

  it('the volume can be deleted', async () => {
    const { volume, volumes, folder, copy } = await openVolumes();
    await write(volume, 'file', 'text');
    await volumes.remove(ID);
    expect([join(folder, ID), copy].filter((path) => existsSync(path))).toEqual([]);
    await expect(write(volume, 'file', 'text')).rejects.toMatchObject({ code: 'VOLUME_NOT_FOUND' });
  });

  it('a master that exits writes nothing more, and keeps the changes', async () => {
    const { volume, volumes, data, copy } = await openVolumes();
    await write(volume, 'file', 'text');
    const hold = await volume.workingCopy.change('alice', ({ hold: open }) => Promise.resolve(open()));
    await volumes.close();
    const ending = { code: 'MASTER_ENDING' };
    await expect(hold.run(() => Promise.resolve())).rejects.toMatchObject(ending);
    await expect(write(volume, 'file', 'more')).rejects.toMatchObject(ending);
    await expect(volume.settle('a test')).rejects.toMatchObject(ending);
    expect(await readFile(join(copy, 'file'), 'utf8')).toBe('text');
    const { volume: next } = await openVolumes({ data });
    expect(next.workingCopy.exists).toBe(true);
  });
});

describe('the quota of volumes and the reserve of the disk', () => {
  it('limit the files of a volume while it is changed, and deleted files free space', async () => {
    const { volume } = await openVolumes({ quota: { perVolume: 1, total: -1 } });
    const half = 'x'.repeat(600_000);
    await write(volume, 'one', half);
    await expect(write(volume, 'two', half)).rejects.toMatchObject({
      code: 'VOLUME_FULL',
      details: { setting: 'volumes.quota.perVolume', needsMb: 2, limitMb: 1 },
    });
    await volume.workingCopy.change('alice', ({ folder }) => rm(join(folder, 'one')));
    await write(volume, 'two', half);
  });

  it('limit all volumes together', async () => {
    const opened = await openVolumes({ quota: { perVolume: -1, total: 1 } });
    await addSave(opened, { one: 'x'.repeat(600_000) });
    await expect(write(opened.volume, 'two', 'y'.repeat(600_000))).rejects.toMatchObject({
      code: 'VOLUME_FULL',
      details: { setting: 'volumes.quota.total', needsMb: 2, limitMb: 1 },
    });
  });

  it('prevent the first change of a volume if its working copy would need reserved space', async () => {
    const opened = await openVolumes({ disks: new FullDisk(() => 250) });
    await addSave(opened, { one: 'x'.repeat(60) });
    await expect(write(opened.volume, 'two', '')).rejects.toThrow(/are reserved/);
    expect(opened.volume.workingCopy.exists).toBe(false);
    expect((await readdir(join(opened.folder, ID))).sort()).toEqual(['saves', 'volume.json']);
  });
});
