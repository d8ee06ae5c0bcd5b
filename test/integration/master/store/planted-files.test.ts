import { execFileSync } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { noReserves } from '#master/store/disk-reserve.ts';
import { openJsonFile } from '#master/store/json-file.ts';
import { writeDurably } from '#master/store/write-durably.ts';
import { RevisionStore } from '#master/templates/revisions/revision-store.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const schema = z.object({ keys: z.array(z.string()) });

/** Creates a folder with the file `keys.json`, which belongs to the master. */
async function withKeys() {
  const folder = temporaryFolder();
  const keys = join(folder, 'keys.json');
  await writeFile(keys, '{"keys":["owner"]}');
  return { folder, keys, path: join(folder, 'document.json') };
}

describe.skipIf(process.platform === 'win32')(
  'a document of the master that an attacker has replaced',
  () => {
    it('is rejected if it is now a link, and the target of the link is neither read nor changed', async () => {
      const { keys, path } = await withKeys();
      await symlink(keys, path);
      await expect(openJsonFile(path, schema, { keys: [] })).rejects.toMatchObject({ code: 'DATA_FAULTY' });
      await expect(writeDurably(path, '{"keys":["attacker"]}')).rejects.toMatchObject({ code: 'ELOOP' });
      expect(await readFile(keys, 'utf8')).toBe('{"keys":["owner"]}');
      expect((await lstat(path)).isSymbolicLink()).toBe(true);
    });

    it('cannot be changed if it became a link after it was opened, and the data in memory stays the same', async () => {
      const { keys, path } = await withKeys();
      const file = await openJsonFile(path, schema, { keys: [] });
      await symlink(keys, path);
      await expect(file.update(() => ({ keys: ['attacker'] }))).rejects.toMatchObject({
        code: 'DATA_FOLDER_UNSAFE',
      });
      expect(file.data).toEqual({ keys: [] });
      expect(await readFile(keys, 'utf8')).toBe('{"keys":["owner"]}');
    });

    it.each([
      ['a pipe', (path: string) => Promise.resolve(void execFileSync('mkfifo', [path]))],
      ['a folder', (path: string) => mkdir(path)],
      ['a huge file', (path: string) => writeFile(path, '').then(() => truncate(path, 65 * 2 ** 20))],
    ])('is rejected if it is %s, and the master neither hangs nor fills its memory', async (_what, make) => {
      const { path } = await withKeys();
      await make(path);
      await expect(openJsonFile(path, schema, { keys: [] })).rejects.toMatchObject({ code: 'DATA_FAULTY' });
    });
  },
);

it('a revision store removes incomplete revisions, but keeps files that it cannot have created', async () => {
  const folder = temporaryFolder();
  const incomplete = ['.stage', '0123456789abcdef', 'fedcba9876543210.json', 'fedcba9876543210.json.4711'];
  for (const name of incomplete) await mkdir(join(folder, name));
  for (const name of ['keys.json', 'host_key', 'templates']) await writeFile(join(folder, name), 'kept');
  await RevisionStore.open({
    ...{ folder, template: 'lobby', isUsed: () => false },
    reserve: noReserves().of(folder),
  });
  expect((await readdir(folder)).sort()).toEqual(['host_key', 'keys.json', 'templates']);
});
