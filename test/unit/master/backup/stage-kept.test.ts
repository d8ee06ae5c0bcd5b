import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stageKept } from '#master/backup/stage/stage-kept.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Creates a folder of kept logs, with files of 100 bytes in total for each exit of a service. */
async function logsOf(ends: readonly string[]): Promise<string> {
  const folder = temporaryFolder();
  for (const end of ends) {
    await mkdir(join(folder, end), { recursive: true });
    await writeFile(join(folder, end, 'index.json'), 'x'.repeat(40));
    await writeFile(join(folder, end, '0'), 'x'.repeat(60));
  }
  return folder;
}

it('a backup contains the newest crash reports and logs up to its size limit', async () => {
  const from = await logsOf([
    'lobby-1.files/1000',
    'lobby-1.files/4000',
    'arena-2.files/2000',
    'arena-2.files/3000',
  ]);
  const to = join(temporaryFolder(), 'logs');
  const reserve = noReserves().of(from);
  expect(await stageKept({ from, to, reserve, maxBytes: 250 })).toBe(2);
  expect(await readdir(join(to, 'lobby-1.files'))).toEqual(['4000']);
  expect(await readdir(join(to, 'arena-2.files'))).toEqual(['3000']);
  expect((await readdir(join(to, 'arena-2.files', '3000'))).sort()).toEqual(['0', 'index.json']);
});

it('a backup contains no logs if the master has none', async () => {
  const from = await logsOf([]);
  await rm(from, { recursive: true });
  const to = join(temporaryFolder(), 'logs');
  expect(await stageKept({ from, to, reserve: noReserves().of('/'), maxBytes: 250 })).toBe(0);
  expect(await readdir(to)).toEqual([]);
});
