import { join } from 'node:path';
import { dataFolderAt } from '#master/store/data-folder.ts';

/** Paths of everything that backups need, in the folder `backup/` of the data folder. */
export interface BackupPlaces {
  readonly folder: string;
  /** Repository, schedule and retention. */
  readonly settings: string;
  /** Password of the repository. Only the owner of the file can read it. */
  readonly password: string;
  /** Further variables for restic, such as the keys of S3. Only the owner of the file can read them. */
  readonly environment: string;
  /**
   * Folder with the password and the variables that `backup configure` is trying. The files have the same names as
   * those in use.
   */
  readonly draft: string;
  /** Results of the last backups. */
  readonly status: string;
  /** restic's cache. */
  readonly cache: string;
  /** Folder in which a running restore stores the content that it has fetched and built. */
  readonly restore: string;
  /** File that names the backup that was restored to the data folder. */
  readonly restored: string;
}

/** Returns the paths for a data folder without accessing the disk. */
export function backupPlaces(dataFolder: string): BackupPlaces {
  const folder = dataFolderAt(dataFolder).backup;
  const at = (name: string): string => join(folder, name);
  return {
    folder,
    settings: at('settings.json'),
    password: at('password'),
    environment: at('environment'),
    draft: at('draft'),
    status: at('status.json'),
    cache: at('cache'),
    restore: at('restore'),
    restored: at('restored.json'),
  };
}
