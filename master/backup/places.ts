import { join } from 'node:path';
import { dataFolderAt } from '#master/store/data-folder.ts';

/** Paths of everything that backups need, in the folder `backup/` of the data folder. */
export interface BackupPlaces {
  readonly folder: string;
  /** Repository, schedule and retention. */
  readonly settings: string;
  /** Password of the repository, readable for its owner only. */
  readonly password: string;
  /** Further variables for restic, such as the keys of S3, readable for its owner only. */
  readonly environment: string;
  /** Password and variables that `backup configure` is trying, named as those in use. */
  readonly draft: string;
  /** How the last backups ended. */
  readonly status: string;
  /** restic's cache. */
  readonly cache: string;
  /** What a backup in progress contains. */
  readonly stage: string;
  /** What a restore in progress has fetched and built. */
  readonly restore: string;
  /** Which backup was restored to the data folder. */
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
    stage: at('stage'),
    restore: at('restore'),
    restored: at('restored.json'),
  };
}
