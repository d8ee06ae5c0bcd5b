import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SharedFiles } from '#master/templates/default-files/shared-files.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ENTRIES = [{ path: 'rules.txt', destination: 'rules.txt' }];

it('a changed shared file is reported even if the start of a service notices the change first', async () => {
  const folder = temporaryFolder();
  const failures: unknown[] = [];
  const files = new SharedFiles(folder, (error) => failures.push(error));
  onTestFinished(() => files.close());
  const told: boolean[] = [];
  files.onChange((hasChanged) => told.push(hasChanged(ENTRIES), hasChanged([])));

  await writeFile(join(folder, 'rules.txt'), 'no griefing');
  await files.read(ENTRIES);
  const before = files.fingerprint(ENTRIES);
  expect(before).toMatch(/^[0-9a-f]{16}$/);
  await files.read(ENTRIES);
  expect(told).toEqual([]);

  await writeFile(join(folder, 'rules.txt'), 'no griefing, no ads');
  await files.read(ENTRIES);
  expect(files.fingerprint(ENTRIES)).not.toBe(before);
  expect(told).toEqual([true, false]);
  expect(failures).toEqual([]);
});
