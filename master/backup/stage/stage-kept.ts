import { link, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskReserve } from '#master/store/disk-reserve.ts';
import { copyNewFile } from '#master/templates/copy-file.ts';

/**
 * Maximum size of the kept files in a backup (bytes), equal to the maximum on the master. The newest files are
 * included.
 */
const MAX_BYTES = 256 * 1_048_576;

/**
 * `SERVICE` matches the name of the folder with the kept files of a service. `END` matches a folder in it, which is
 * named after the time at which the service ended (`master/runtime/kept`).
 */
const SERVICE = /^[a-z0-9][a-z0-9-]*\.files$/;
const END = /^\d{1,16}$/;

interface KeptEnd {
  /** Path relative to the folder of the logs. */
  readonly path: string;
  /** When the service ended (ms since epoch). */
  readonly endedAt: number;
}

export interface KeptOptions {
  /** The folder `logs/`. It need not exist. */
  readonly from: string;
  readonly to: string;
  readonly reserve: DiskReserve;
  /** Default: {@link MAX_BYTES}. */
  readonly maxBytes?: number;
}

/**
 * Adds the crash reports and logs of ended services to a backup, as hard links where possible. There is one folder
 * for each end of a service, and the newest folders are added first. The files in them never change. If the master
 * deletes files of a folder in the meantime, the folder is left out. Console logs are not added.
 *
 * @returns number of folders that were left out because of the limit
 * @throws DiskReserveReached; errno errors
 */
export async function stageKept({ from, to, reserve, maxBytes = MAX_BYTES }: KeptOptions): Promise<number> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  let bytes = 0;
  let leftOut = 0;
  for (const { path } of await endsIn(from)) {
    try {
      const files = await filesIn(join(from, path));
      const size = files.reduce((sum, file) => sum + file.size, 0);
      if (bytes + size > maxBytes) {
        leftOut += 1;
        continue;
      }
      await mkdir(join(to, path), { recursive: true, mode: 0o700 });
      for (const { name, size: own } of files) {
        const [source, target] = [join(from, path, name), join(to, path, name)];
        await linkOrCopy(source, target, { size: own, reserve });
      }
      bytes += size;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await rm(join(to, path), { recursive: true, force: true });
    }
  }
  return leftOut;
}

/** Returns the kept folders of all services, one for each end of a service, newest first. */
async function endsIn(folder: string): Promise<KeptEnd[]> {
  const services = (await namesIn(folder)).filter((name) => SERVICE.test(name));
  const ends = services.map(async (service) =>
    (await namesIn(join(folder, service)))
      .filter((name) => END.test(name))
      .map((name) => ({ path: join(service, name), endedAt: Number(name) })),
  );
  return (await Promise.all(ends)).flat().sort((a, b) => b.endedAt - a.endedAt);
}

async function filesIn(folder: string): Promise<{ readonly name: string; readonly size: number }[]> {
  const files: { readonly name: string; readonly size: number }[] = [];
  for (const name of await readdir(folder)) {
    const stats = await lstat(join(folder, name));
    if (stats.isFile()) files.push({ name, size: stats.size });
  }
  return files;
}

async function linkOrCopy(
  source: string,
  target: string,
  { size, reserve }: { readonly size: number; readonly reserve: DiskReserve },
): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    await reserve.use(size, () => copyNewFile(source, target, 0o600));
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}
