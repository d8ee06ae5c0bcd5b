import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { noReserves, type DiskReserves } from '#master/store/disk-reserve.ts';
import type { Volume } from '#master/volumes/volume.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** Service whose volume {@link openVolumes} creates. */
export const SERVICE = 'survival-1';
/** Its volume. */
export const ID = 'survival/1';
/** Time that is longer than a test (ms). */
const NEVER = 3_600_000;

interface Options {
  readonly data?: string;
  readonly quietMs?: number;
  readonly quota?: { readonly perVolume: number; readonly total: number };
  readonly disks?: DiskReserves;
}

/**
 * Opens the volumes in a data folder. By default, changes become a save only when the volume is used for something
 * else. With `quietMs`, they also become a save after this time without a change (ms).
 */
export async function openVolumes(options: Options = {}) {
  const { data = temporaryFolder(), quietMs = NEVER, disks = noReserves() } = options;
  const copies = dataFolderAt(data);
  const { volumes: folder, workingCopies } = copies;
  let now = 1_000_000;
  const settings = masterConfigSchema.parse({}).volumes;
  const volumes = await Volumes.open({
    ...{ folder, copies, disks, quietMs, now: () => (now += 1_000) },
    settings: () => ({ ...settings, quota: options.quota ?? settings.quota }),
  });
  onTestFinished(() => volumes.close());
  return { volumes, data, folder, volume: await volumes.make(SERVICE), copy: join(workingCopies, ID) };
}

/** Writes a file as a client does. */
export function write(volume: Volume, path: string, text: string): Promise<void> {
  return volume.workingCopy.change('alice', ({ folder, limit }) =>
    limit.use(text.length, () => writeFile(join(folder, path), text)),
  );
}

/** Returns the texts of the files of a save, by their paths. */
export async function textsOf(volume: Volume, save?: string): Promise<Record<string, string>> {
  const lease = await volume.lease(save);
  if (lease === null) return {};
  const files = lease.entries.filter(({ path }) => !path.endsWith('/'));
  const texts = files.map(async ({ path }) => [path, await readFile(lease.pathOf(path), 'utf8')] as const);
  lease.release();
  return Object.fromEntries(await Promise.all(texts));
}
