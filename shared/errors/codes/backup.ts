import { code } from '../code.ts';

/** Errors of backups. */
export const backupCodes = {
  RESTIC_MISSING: code<{ package: string }>(
    'config',
    ({ package: name }) =>
      `The program restic, which makes the backups, is not installed on this machine. Install its package as root: apt-get install ${name}.`,
  ),
  BACKUP_NOT_CONFIGURED: code<{ folder: string }>(
    'user',
    ({ folder }) =>
      `No backup is configured for the data folder ${folder}. Choose a repository: overworld-master backup configure REPOSITORY.`,
  ),
  BACKUP_REPOSITORY_INVALID: code<{ repository: string; why: string }>(
    'user',
    ({ repository, why }) =>
      `"${repository}" cannot be the repository of the backups: ${why}. Examples: /mnt/backup/overworld, sftp:backup@backup.example:/srv/overworld, s3:https://s3.example/bucket.`,
  ),
  BACKUP_FILE_INVALID: code<{ path: string; why: string }>(
    'user',
    ({ path, why }) => `${path} cannot be used for backups: ${why}. Correct the file, then try again.`,
  ),
  BACKUP_RUNNING: code<{ pid: number }>(
    'transient',
    ({ pid }) =>
      `A backup, a restore or backup configure is already running (process ${pid}). Wait until it has ended.`,
    true,
  ),
  BACKUP_FAILED: code<{ step: string; why: string }>(
    'config',
    ({ step, why }) =>
      `The backup failed while ${step}: ${why}. Earlier backups are not changed. Remove the cause, then run: overworld-master backup run.`,
    true,
  ),
  BACKUP_NOT_FOUND: code<{ backup: string }>(
    'user',
    ({ backup }) =>
      `The repository has no complete backup "${backup}". List those that it has: overworld-master backup list.`,
  ),
  BACKUP_AMBIGUOUS: code<{ networks: number }>(
    'user',
    ({ networks }) =>
      `The repository has backups of ${networks} networks. List their backups with "overworld-master backup list". Then run "overworld-master backup restore ID", or "overworld-master install --backup ID".`,
  ),
  BACKUP_REPOSITORY_FAILED: code<{ repository: string; why: string }>(
    'config',
    ({ repository, why }) =>
      `The repository ${repository} cannot be used: ${why}. Check its address, its password, and ${loginTo(repository)}.`,
    true,
  ),
  BACKUP_REPOSITORY_LOCKED: code<{ repository: string; why: string }>(
    'transient',
    ({ repository, why }) =>
      `The repository ${repository} is in use: ${why}. Wait until that process has ended. If it no longer runs, wait 30 minutes. Then try again.`,
    true,
  ),
  RESTORE_REFUSED: code<{ folder: string; why: string; advice: string }>(
    'user',
    ({ folder, why, advice }) => `Nothing was restored to ${folder}: ${why}. ${advice}`,
  ),
  RESTORE_INCOMPLETE: code<{ folder: string; aside: string; why: string }>(
    'config',
    ({ folder, aside, why }) =>
      `A backup was restored to ${folder} only in part, and the folders that were replaced could not be moved back: ${why}. If ${aside} exists, it contains the earlier data. Remove the cause, then run: overworld-master backup restore --replace.`,
  ),
  RESTORE_UNFINISHED: code<{ folder: string; backup: string }>(
    'config',
    ({ folder, backup }) =>
      `The restore of backup ${backup} to ${folder} was cut off, so the folder may contain only parts of the backup. No master starts with this folder. Restore the backup again, with the same command as before, or with: overworld-master backup restore ${backup}.`,
  ),
  NETWORK_NOT_RESTORED: code<{ why: string }>(
    'config',
    ({ why }) =>
      `The network was not restored, and "install" has not started a master: ${why} Once this is corrected, run the same "overworld-master install" again.`,
    true,
  ),
  INSTALL_INTERRUPTED: code<{ restored: string }>(
    'user',
    ({ restored }) =>
      `"install" was interrupted after its restore, and has not started a master. ${restored} To continue, run the same "overworld-master install" again.`,
  ),
  RESTORE_DAMAGED: code<{ backup: string; why: string }>(
    'config',
    ({ backup, why }) =>
      `Backup ${backup} cannot be restored: ${why}. The data folder was not changed. Check the repository (overworld-master backup check), or restore another backup.`,
  ),
};

/**
 * Returns what this machine needs to use a repository, such as a key or rights on a folder. The result depends on the
 * type of the address.
 */
function loginTo(repository: string): string {
  if (repository.startsWith('s3:'))
    return 'the keys AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment file (--environment-file)';
  if (repository.startsWith('sftp:'))
    return 'that the user of this master can log in there with an SSH key and without a prompt';
  return repository.startsWith('/') ? 'the rights on this folder' : 'how this machine logs in to it';
}
