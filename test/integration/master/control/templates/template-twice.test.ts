import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const FILES = 400;

it('if two people create the same template at the same time, one request fails and changes no files of the other', async () => {
  const master = new MasterProcess(temporaryFolder(), { from: 27_310, to: 27_319 });
  onTestFinished(() => master.shutDown());
  await master.start();
  const folderOf = (id: string) => join(master.data, 'templates', id);
  for (const id of ['red', 'blue']) {
    await master.call('templates.create', { id, config: {} });
    await mkdir(join(folderOf(id), 'files'), { recursive: true });
    for (let n = 0; n < FILES; n++) await writeFile(join(folderOf(id), 'files', `${id}-${n}`), id);
  }
  for (const id of ['red', 'blue']) {
    await waitFor(async () => {
      const all = await master.call('templates.list', {});
      const files = all.find((one) => one.id === id)?.files;
      return files?.files === FILES && files.revision !== null ? true : null;
    });
  }

  const [copied, made] = await Promise.allSettled([
    master.call('templates.duplicate', { from: 'red', to: 'green', files: true }),
    master.call('templates.create', { id: 'green', config: {} }),
  ]);
  expect([copied.status, made.status].sort()).toEqual(['fulfilled', 'rejected']);
  expect(await readdir(join(folderOf('green'), 'files'))).toHaveLength(FILES);

  const both = await Promise.allSettled([
    master.call('templates.duplicate', { from: 'red', to: 'mixed', files: true }),
    master.call('templates.duplicate', { from: 'blue', to: 'mixed', files: true }),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const refused = both.find((one) => one.status === 'rejected');
  expect(refused).toMatchObject({ reason: { code: 'TEMPLATE_EXISTS' } });
  const names = await readdir(join(folderOf('mixed'), 'files'));
  expect(names).toHaveLength(FILES);
  expect(new Set(names.map((name) => name.split('-')[0])).size, 'files of one of them alone').toBe(1);
});
