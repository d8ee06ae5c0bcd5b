import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { DiskReserve } from '#master/store/disk-reserve.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const MB = 2 ** 20;
const FROM = 'survival/1';

/** Creates volumes on a disk of 1,000 MB with a reserve of 100 MB. `survival/1` has a save with a file of 2 MB. */
async function aVolume({ folders = 1 } = {}) {
  const folder = temporaryFolder();
  const disk = { freeBytes: 900 * MB, totalBytes: 1_000 * MB, freeFiles: 0, totalFiles: 0 };
  const reserve = new DiskReserve({
    ...{ measure: () => ({ ...disk }), reserveBytes: () => 100 * MB, now: () => performance.now() },
  });
  const quota = { perVolume: -1, total: -1 };
  const { volumes: settings } = masterConfigSchema.parse({});
  const volumes = await Volumes.open({
    ...{ folder, disks: { of: () => reserve } as never, now: () => 1_000_000 },
    copies: dataFolderAt(temporaryFolder()),
    settings: () => ({ ...settings, quota }),
  });
  const volume = await volumes.make('survival-1');
  await volume.attach('survival-1', 'node-1', true);
  const content = Buffer.alloc(2 * MB);
  const hash = createHash('sha256').update(content).digest('hex');
  await volume.save({ service: 'survival-1', node: 'node-1', cause: 'a test' }, async ({ folder: to }) => {
    await writeFile(join(to, hash), content);
    const file = { path: 'world/r.0.0.mca', size: content.length, mode: 0o600, hash, modifiedAtMs: 1 };
    const empty = Array.from({ length: folders }, (_, index) => ({
      ...{ path: `empty-${index}/`, size: 0, mode: 0o700, hash: '', modifiedAtMs: 1 },
    }));
    return { files: [...empty, file], at: 1_000_000, consistent: true };
  });
  const clone = (to: string) => volumes.clone({ from: FROM, to }, 'a test');
  return { volumes, disk, quota, folder, clone };
}

describe('the clone of a volume', () => {
  it('is refused if its folders and its record would use the reserve of the disk', async () => {
    const { volumes, disk, folder, clone } = await aVolume({ folders: 300 });
    disk.freeBytes = 101 * MB;
    await expect(clone('survival/2')).rejects.toMatchObject({ code: 'DISK_RESERVED' });
    expect(volumes.all.map(({ id }) => id)).toEqual([FROM]);
    expect(await readdir(join(folder, 'survival'))).toEqual(['1']);
    disk.freeBytes = 103 * MB;
    await clone('survival/2');
    expect(volumes.all.map(({ id }) => id)).toEqual([FROM, 'survival/2']);
  });

  it.each([
    { setting: 'perVolume', allowed: 2, tooFew: 1 },
    { setting: 'total', allowed: 4, tooFew: 3 },
  ] as const)('is refused if it exceeds quota.$setting', async ({ setting, allowed, tooFew }) => {
    const { volumes, quota, clone } = await aVolume();
    quota[setting] = tooFew;
    const refused = { code: 'VOLUME_QUOTA', details: { setting: `volumes.quota.${setting}` } };
    await expect(clone('survival/2')).rejects.toMatchObject(refused);
    expect(volumes.all.map(({ id }) => id)).toEqual([FROM]);
    quota[setting] = allowed;
    await clone('survival/2');
    expect(volumes.get('survival/2').saves()).toHaveLength(1);
  });

  it('is refused if the template has 1,000 volumes, even if several clones are requested at once', async () => {
    const { volumes, clone } = await aVolume();
    await Promise.all(Array.from({ length: 997 }, (_, index) => volumes.make(`survival-${index + 2}`)));
    const settled = await Promise.allSettled(
      [5_000, 5_001, 5_002, 5_003].map((one) => clone(`survival/${one}`)),
    );
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    expect(settled[3]).toMatchObject({
      reason: { code: 'VOLUMES_LIMIT', details: { what: 'template survival', limit: 1_000 } },
    });
    expect(volumes.all).toHaveLength(1_000);
    // The limit affects neither existing volumes nor other templates. The next service gets its volume in any case.
    await clone('survival/2');
    await clone('skyblock/1');
    await volumes.make('survival-6000');
  });
});

describe('the import into a volume', () => {
  it('is refused if it exceeds a quota', async () => {
    const { volumes, quota, folder } = await aVolume();
    quota.total = 3;
    await mkdir(join(folder, 'import-1', 'world'), { recursive: true });
    await writeFile(join(folder, 'import-1', 'world', 'r.0.0.mca'), Buffer.alloc(2 * MB, 1));
    const importing = volumes.import('survival/2', 'import-1', 'a test');
    await expect(importing).rejects.toMatchObject({ code: 'VOLUME_QUOTA' });
    expect(volumes.all.map(({ id }) => id)).toEqual([FROM]);
  });
});
