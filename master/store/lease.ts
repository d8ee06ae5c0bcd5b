import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { diskError } from './disk-error.ts';
import { identityOf, isAlive, processIdentitySchema, type ProcessIdentity } from './process-identity.ts';

export interface Lease {
  /** Releases the data folder. May be called twice. */
  release(): Promise<void>;
}

/**
 * Acquires the right to be the only master of a data folder (docs/adr/0009). The lease is held until
 * it is released or the process exits. The lease of a killed master is taken over immediately, because its process
 * has verifiably exited.
 *
 * Works between processes of one machine. A data folder must not be shared over a network or between containers.
 *
 * @throws OverworldError MASTER_ALREADY_RUNNING, DISK_FULL, DATA_FOLDER_UNSAFE
 */
export async function acquireLease(dataFolder: string): Promise<Lease> {
  const folder = join(dataFolder, 'run');
  const path = join(folder, 'lease.json');
  const mine = join(folder, `.lease-${randomUUID()}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(mine, JSON.stringify(await identityOf(process.pid)), { mode: 0o600 });
    for (;;) {
      try {
        // `link()` fails if the name exists, so the lease is acquired in one atomic step.
        await link(mine, path);
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        await evictDeadHolder(path, dataFolder);
      }
    }
  } catch (error) {
    throw diskError(path, error);
  } finally {
    // The file exists even if a full disk has prevented the write of its content. If the folder cannot be entered, the
    // error of the write says more.
    await rm(mine, { force: true }).catch(() => undefined);
  }
  return { release: () => rm(path, { force: true }) };
}

/**
 * Returns the process id of the master that uses a data folder. Null if no master uses it, or if this user may not
 * read the file with the id.
 */
export async function findMasterProcess(dataFolder: string): Promise<number | null> {
  const holder = await readHolder(join(dataFolder, 'run', 'lease.json')).catch(() => null);
  return holder !== undefined && holder !== null && (await isAlive(holder)) ? holder.pid : null;
}

/**
 * Removes a lease whose holder has exited.
 *
 * @throws OverworldError MASTER_ALREADY_RUNNING if the holder is still running
 */
async function evictDeadHolder(path: string, folder: string): Promise<void> {
  const holder = await readHolder(path);
  if (holder === undefined) return;
  if (holder !== null && (await isAlive(holder))) {
    throw new OverworldError('MASTER_ALREADY_RUNNING', { folder, pid: holder.pid });
  }
  // The file is renamed before it is removed, so that a new lease that a faster process has already written is not
  // lost.
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = await readHolder(aside);
  if (moved !== undefined && moved !== null && (await isAlive(moved))) {
    await link(aside, path).catch(() => undefined);
    await unlink(aside);
    throw new OverworldError('MASTER_ALREADY_RUNNING', { folder, pid: moved.pid });
  }
  await unlink(aside);
}

/**
 * Returns the holder of the lease. Undefined if there is no lease. Null if the lease cannot be read; it then counts
 * as having no holder.
 */
async function readHolder(path: string): Promise<ProcessIdentity | null | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return processIdentitySchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
