import { isAbsolute } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';

/** Matches addresses of restic repositories on other machines. Any other address is a folder of this machine. */
const REMOTE = /^(?:sftp|s3|rest|b2|azure|gs|swift|rclone):./;

/** Matches characters that no address needs, and that would have to be quoted in a systemd unit. */
const UNUSUAL = /[\s"'`\\%$\p{Cc}]/u;

/** Matches a password in an address: `https://user:password@host`. */
const PASSWORD = /:\/\/[^/@]*:[^/@]*@/;

/**
 * Returns why a text cannot be the address of a repository, as the second half of a sentence. Null if it can. An
 * address must not contain a password, because it is shown to everyone who may see the master.
 *
 * Example: `whyUnusable('backups')` → `it is not an absolute path`.
 */
export function whyUnusable(address: string): string | null {
  if (address === '' || address.length > 1_000) return 'it is empty or too long';
  if (UNUSUAL.test(address)) return 'it contains a space, a quote, a backslash, % or $';
  if (PASSWORD.test(address))
    return 'it contains a password; put that into an environment file (backup configure --environment-file)';
  if (isLocal(address) && !isAbsolute(address)) return 'it is not an absolute path';
  return null;
}

/** Reports whether a repository is a folder of this machine. */
export function isLocal(address: string): boolean {
  return !REMOTE.test(address);
}

/**
 * Checks the address of a repository.
 *
 * @param dataFolder data folder of the master. A repository in this folder is refused, because it would be lost
 *   together with the data
 * @throws OverworldError BACKUP_REPOSITORY_INVALID
 */
export function requireAddress(address: string, dataFolder: string): void {
  const isInside = isLocal(address) && `${address}/`.startsWith(`${dataFolder}/`);
  const why = whyUnusable(address) ?? (isInside ? 'it is in the data folder that is backed up' : null);
  if (why !== null)
    throw new OverworldError('BACKUP_REPOSITORY_INVALID', { repository: withoutPassword(address), why });
}

function withoutPassword(address: string): string {
  return address.replace(PASSWORD, '://••••@');
}
