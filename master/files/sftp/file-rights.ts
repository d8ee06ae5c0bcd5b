import { CONTENTS_REFUSAL, mayReadFiles, mayWriteFiles, type Role } from '#shared/model/access/role.ts';
import { forbidden } from './protocol/refusal.ts';

/**
 * Checks that a role may change files.
 *
 * @throws Refusal if the role is viewer
 */
export function requireWriteRight(role: Role): void {
  if (!mayWriteFiles(role)) throw forbidden('Your key has the role viewer, which cannot change files');
}

/**
 * Checks that a role may read the contents of files now.
 *
 * @param viewersMay whether viewers may read them (`access.viewers_read_files`)
 * @throws Refusal if the role is viewer, and viewers may not read the contents of files
 */
export function requireReadRight(role: Role, viewersMay: boolean): void {
  if (!mayReadFiles(role, viewersMay)) throw forbidden(CONTENTS_REFUSAL);
}
