import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ServiceFolder } from '#master/runtime/process/service-folder.ts';
import { makeDeepFolder } from '#test/support/files/deep-folder.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

it('the folder of a service is removed, however deeply the server has nested folders in it', async () => {
  const folder = new ServiceFolder(temporaryFolder(), 'lobby-1');
  await mkdir(folder.files, { recursive: true });
  await writeFile(join(folder.files, 'server.properties'), 'motd=hello');
  await makeDeepFolder(folder.files);
  await folder.remove();
  expect(existsSync(folder.path)).toBe(false);
});
