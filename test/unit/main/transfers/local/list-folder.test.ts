import { chmod, mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localFolderSchema } from '#shared/ipc/contract.ts';
import { listFolder } from '#main/transfers/local/list-folder.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

describe('listFolder (reads a folder of this computer)', () => {
  it('returns all entries, even hidden and special ones, folders first, in the order of their names', async () => {
    const folder = temporaryFolder();
    await mkdir(join(folder, 'b folder'));
    await writeFile(join(folder, 'f10'), '1234');
    await writeFile(join(folder, 'f9'), '');
    await writeFile(join(folder, '.hidden'), '');
    await symlink('/nowhere', join(folder, 'dangling'));
    await chmod(join(folder, 'f10'), 0o604);
    await utimes(join(folder, 'f10'), 1_650_000_000, 1_650_000_000);
    const entries = await listFolder(folder, '/shown');
    localFolderSchema.parse({ folder: '/shown', parent: null, entries });
    expect(entries.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'folder b folder',
      'file .hidden',
      'link dangling',
      'file f9',
      'file f10',
    ]);
    expect(entries.at(-1)).toEqual({
      name: 'f10',
      path: '/shown/f10',
      kind: 'file',
      bytes: 4,
      modifiedAt: 1_650_000_000_000,
      mode: 0o604,
    });
  });

  it('returns the reason if a folder cannot be read', async () => {
    const folder = temporaryFolder();
    await writeFile(join(folder, 'file'), '');
    await expect(listFolder(join(folder, 'gone'), '/shown')).rejects.toMatchObject({
      code: 'LOCAL_FILE_UNREADABLE',
    });
    await expect(listFolder(join(folder, 'file'), '/shown')).rejects.toMatchObject({
      code: 'LOCAL_FILE_UNREADABLE',
    });
  });
});
