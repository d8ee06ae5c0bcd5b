import { mkdir, rename, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import { makeDeepFolder } from '#test/support/files/deep-folder.ts';
import { ID, openVolumes, SERVICE, textsOf, write } from '#test/support/master/working-copies.ts';

describe('a folder that is moved into a very deep folder', () => {
  /** Relative path of 2,509 bytes. */
  const DEEP = Array.from({ length: 10 }, () => 'n'.repeat(250)).join('/');

  it.each([
    { bytes: '3,270', below: DEEP.slice(0, 752), why: 'has more than 3072 bytes' },
    { bytes: '5,030', below: DEEP, why: 'has more than 4096 bytes' },
  ])('prevents the start of the service while a path has $bytes bytes', async (path) => {
    const { volume, copy } = await openVolumes();
    const file = join('moved', path.below, 'file');
    await volume.workingCopy.change('alice', async ({ folder }) => {
      await mkdir(join(folder, DEEP), { recursive: true });
      await mkdir(join(folder, 'moved', path.below), { recursive: true });
      await writeFile(join(folder, file), 'text');
      await rename(join(folder, 'moved'), join(folder, DEEP, 'moved'));
    });
    const refusal = await volume.attach(SERVICE, 'node-1').then(() => null, toOverworldError);
    expect(refusal?.code).toBe('VOLUME_CHANGES_UNUSABLE');
    expect(refusal?.message).toContain(path.why);
    expect([volume.saves(), volume.attachment]).toEqual([[], null]);
    await volume.workingCopy.change('alice', ({ folder }) =>
      rename(join(folder, DEEP, 'moved'), join(folder, 'moved')),
    );
    await volume.attach(SERVICE, 'node-1');
    expect(await textsOf(volume)).toEqual({ [file]: 'text' });
    expect(existsSync(copy)).toBe(false);
  });

  it('does not prevent the deletion of the volume', async () => {
    const { volumes, folder, volume, copy } = await openVolumes();
    await volume.workingCopy.change('alice', (change) => makeDeepFolder(change.folder));
    await volumes.remove(ID);
    expect([join(folder, ID), copy].filter((path) => existsSync(path))).toEqual([]);
  });

  it('is removed by the next master if a master was killed while it removed the working copy', async () => {
    const { volumes, data, volume, copy } = await openVolumes();
    await volume.workingCopy.change('alice', (change) => makeDeepFolder(change.folder));
    await volumes.close();
    const { incoming } = dataFolderAt(data);
    await mkdir(join(incoming, 'incoming-1'));
    await rename(copy, join(incoming, 'incoming-1', 'copy'));
    const next = await openVolumes({ data });
    expect(existsSync(join(incoming, 'incoming-1'))).toBe(false);
    await write(next.volume, 'file', 'text');
  });
});
