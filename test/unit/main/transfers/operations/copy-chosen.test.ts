import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { statLocal } from '#main/transfers/operations/copy-chosen.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

describe('statLocal (size and time of a file on this computer)', () => {
  let folder: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    await writeFile(join(folder, 'a'), 'four');
    await utimes(join(folder, 'a'), 1_650_000_000, 1_650_000_000);
  });

  it('returns size and time of an existing file', async () => {
    expect(await statLocal(join(folder, 'a'))).toEqual({ bytes: 4, modifiedAt: 1_650_000_000_000 });
  });

  it.each(['missing', 'missing/b', 'a/b', 'a/b/c'])(
    'returns null for %s, which does not exist',
    async (path) => {
      expect(await statLocal(join(folder, path))).toBeNull();
    },
  );

  it('rejects with LOCAL_FILE_UNREADABLE if the system does not say whether the file exists', async () => {
    await expect(statLocal(join(folder, 'n'.repeat(300)))).rejects.toMatchObject({
      code: 'LOCAL_FILE_UNREADABLE',
    });
  });
});
