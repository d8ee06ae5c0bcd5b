import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ServicesView } from '#master/admin/file-views/services-view.ts';
import { fileCallSlots } from '#master/control/services/live-files.ts';
import { secretFilter } from '#master/files/tasks/fetch/secret-filter.ts';
import { RecordStore } from '#master/state/services/record-store.ts';
import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import type { ServiceFiles } from '#shared/model/service-files.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const unused = (): Promise<never> => Promise.reject(new Error('it is not read'));

/** Opens the folder of a service whose node answers with these pages. `read` returns the number of pages read. */
async function openFolder(pages: (at: number) => Promise<ServiceFiles>) {
  const records = await RecordStore.open(join(temporaryFolder(), 'services.json'));
  const asked = { template: 'lobby', requestedAt: 1, cause: 'a test', manual: true };
  records.add({ ...asked, id: 'lobby-1' }).node = 'node-1';
  let read = 0;
  const runtime = { listFiles: () => pages(read++), describeFile: unused, readFile: unused };
  const context = { records, runtimeOf: () => runtime, fileCalls: fileCallSlots() };
  const view = new ServicesView({ context, secret: secretFilter('0123456789abcdef') });
  return { folder: await view.for(null).list(['lobby-1']), read: () => read };
}

const page = (...names: readonly string[]): ServiceFiles => ({
  entries: names.map((name) => ({ name, kind: 'file', bytes: 1, changedAt: 1 })),
  more: true,
});

it('a folder listing fails if the node keeps sending pages that contain only a hidden file', async () => {
  const { folder, read } = await openFolder((at) =>
    at < 100 ? Promise.resolve(page(HAND_OVER_FILE)) : Promise.reject(new Error('it reads too many pages')),
  );
  await expect(folder.next()).rejects.toMatchObject({ code: 'FILE_FORBIDDEN' });
  expect(read()).toBe(2);
});

it('a folder listing requests no further pages after the client closes the folder', async () => {
  let send: (files: ServiceFiles) => void = () => undefined;
  const { folder, read } = await openFolder((at) =>
    at === 0 ? Promise.resolve(page('a')) : new Promise((resolve) => (send = resolve)),
  );
  const next = folder.next();
  await new Promise((resolve) => setImmediate(resolve));
  expect(read()).toBe(2);
  folder.close();
  send(page('b'));
  await expect(next).rejects.toThrow('The folder was closed');
  expect(read()).toBe(2);
});
