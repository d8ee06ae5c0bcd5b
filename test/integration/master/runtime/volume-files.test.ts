import { writeFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ServiceFolder } from '#master/runtime/process/service-folder.ts';
import { VolumeFiles } from '#master/runtime/process/volumes/volume-files.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ALL = { persistentPaths: ['world'] };

async function aService() {
  const folder = new ServiceFolder(temporaryFolder(), 'survival-1');
  await mkdir(join(folder.files, 'world'), { recursive: true });
  return { world: join(folder.files, 'world'), files: new VolumeFiles(folder) };
}

describe("a snapshot of the persistent files of a service on the master's machine", () => {
  it('is refused if the paths of all files together are longer than 32 MiB', async () => {
    const { world, files } = await aService();
    const deep = join(world, ...Array.from({ length: 15 }, () => 'f'.repeat(245)));
    await mkdir(deep, { recursive: true });
    // Each path in the folder of the service has about 3,900 characters.
    const names = Array.from({ length: 8_800 }, (_, index) => String(index).padStart(200, '0'));
    for (const name of names) writeFileSync(join(deep, name), '');
    await expect(files.take(ALL, false)).rejects.toThrow(
      'the paths of its persistent files have more than 32 MiB',
    );
  });

  it('names at most 100 skipped files', async () => {
    const { world, files } = await aService();
    await writeFile(join(world, 'level.dat'), '');
    for (let link = 0; link <= 100; link += 1) await symlink('x', join(world, String(link)));
    await files.take(ALL, false);
    const { files: found, skipped } = await files.read();
    expect(found.map(({ path }) => path)).toEqual(['world/level.dat']);
    expect(skipped).toHaveLength(100);
  });
});
