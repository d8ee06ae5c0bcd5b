import { mkdir } from 'node:fs/promises';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import { acquireLease } from '#master/store/lease.ts';

/**
 * Runs `work` while it holds the lock of the backups. No other backup, restore or `backup configure` can run for the
 * same data folder in the meantime.
 *
 * @param folder folder of the backups; created if it does not exist
 * @throws OverworldError BACKUP_RUNNING, DISK_FULL; errors of `work`
 */
export async function withBackupLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lease = await acquireLease(folder).catch((error: unknown) => {
    if (hasCode(error, 'MASTER_ALREADY_RUNNING'))
      throw new OverworldError('BACKUP_RUNNING', { pid: error.details.pid }, error);
    throw error;
  });
  try {
    return await work();
  } finally {
    await lease.release();
  }
}
