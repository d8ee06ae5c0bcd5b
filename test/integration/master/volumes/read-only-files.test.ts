import { chmod, mkdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dropRights } from '#test/support/drop-rights.ts';
import { ID, openVolumes, textsOf, write } from '#test/support/master/working-copies.ts';

describe.skipIf(process.platform === 'win32')('a volume with a read-only file', () => {
  it('can be changed over SFTP even if the master is not root, and unchanged files keep their times', async () => {
    // A master on a person's computer does not have root's rights.
    dropRights();
    const { volumes, volume, folder, copy } = await openVolumes();
    const world = join(folder, 'import-1', 'world');
    await mkdir(world, { recursive: true });
    const moments = { 'level.dat': Date.UTC(2020, 0, 1), 'older.dat': Date.UTC(1960, 0, 1) };
    for (const [name, moment] of Object.entries(moments)) {
      await writeFile(join(world, name), 'old');
      await utimes(join(world, name), new Date(moment), new Date(moment));
      await chmod(join(world, name), 0o444);
    }
    await volumes.import(ID, 'import-1', 'a test');

    await write(volume, 'world/new', 'new');
    for (const [name, moment] of Object.entries(moments))
      expect((await stat(join(copy, 'world', name))).mtimeMs).toBe(moment);
    await write(volume, 'world/level.dat', 'changed');
    await volume.settle('a test');
    expect(await textsOf(volume)).toEqual({
      'world/level.dat': 'changed',
      'world/new': 'new',
      'world/older.dat': 'old',
    });
  });
});
