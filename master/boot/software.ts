import { join } from 'node:path';
import { hashBundledJars } from '#master/software/bundled-jars.ts';
import { SoftwareCatalogue, type CatalogueOptions } from '#master/software/catalogue/catalogue.ts';
import { JarCache } from '#master/software/download/jar-cache.ts';
import { SoftwareLibrary } from '#master/software/software-library.ts';
import type { DataFolder } from '#master/store/data-folder.ts';
import type { DiskReserves } from '#master/store/disk-reserve.ts';

/**
 * Opens the library of server software. Does not connect to the publishers of the software.
 *
 * @throws OverworldError DATA_FAULTY
 */
export async function openSoftwareLibrary(
  folder: Pick<DataFolder, 'software' | 'state'>,
  disks: DiskReserves,
  options: CatalogueOptions,
): Promise<SoftwareLibrary> {
  const cache = await JarCache.open({
    folder: folder.software,
    index: join(folder.state, 'software.json'),
    now: Date.now,
  });
  return new SoftwareLibrary({
    catalogue: new SoftwareCatalogue(options),
    cache,
    reserve: disks.of(folder.software),
    bundled: await hashBundledJars(),
  });
}
