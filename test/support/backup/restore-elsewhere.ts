import { configureBackup } from '#master/backup/configure.ts';
import { restoreBackup } from '#master/backup/restore-backup.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** Restores the newest backup of a repository to a new data folder, as on a new machine. Returns this folder. */
export async function restoreElsewhere(repository: string, password: string): Promise<string> {
  const dataFolder = temporaryFolder();
  await configureBackup({ dataFolder, repository, password, retention: {} });
  await restoreBackup({ dataFolder, backup: undefined, replace: false, isNewer: () => false });
  return dataFolder;
}
