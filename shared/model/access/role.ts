import { z } from 'zod';
import { templateLimitSchema, type TemplateLimit } from './template-limit.ts';

/**
 * Roles of authorized keys (docs/master-config.md). `files`: SFTP only. `viewer`: reads everything except secrets;
 * reads the contents of files only if an owner allows this. `operator`: also manages services, templates and files.
 * `owner`: also manages keys and the master configuration.
 */
export const roles = ['files', 'viewer', 'operator', 'owner'] as const;
export const roleSchema = z.enum(roles);
export type Role = z.infer<typeof roleSchema>;

/**
 * Returns whether `role` includes the rights of `needs`: `owner` includes `operator`, which includes `viewer`.
 * `files` includes none of them.
 *
 * Example: `permits('owner', 'viewer')` → true, `permits('files', 'viewer')` → false.
 */
export function permits(role: Role, needs: Exclude<Role, 'files'>): boolean {
  return role !== 'files' && roles.indexOf(role) >= roles.indexOf(needs);
}

/**
 * Returns whether keys with this role can be limited to templates. Only the roles `files` and `operator` can: a
 * viewer changes nothing, and an owner may change everything.
 */
export function canBeLimited(role: Role): boolean {
  return role === 'files' || role === 'operator';
}

/** Rights of a key: the rights of its role, restricted to the templates of its limit. */
export interface KeyRights {
  readonly role: Role;
  /** Limit of the key. Null if the key is for all templates and for the network as a whole. */
  readonly templates: TemplateLimit;
}

/** Returns whether the role may change files of templates and shared files. */
export function mayWriteFiles(role: Role): boolean {
  return role !== 'viewer';
}

/**
 * Returns whether the role may read the contents of files of templates and shared files, which may contain passwords.
 * Every role may list names, sizes and times.
 *
 * @param viewersMay value of `access.viewers_read_files` in the master configuration
 */
export function mayReadFiles(role: Role, viewersMay: boolean): boolean {
  return role !== 'viewer' || viewersMay;
}

/** Why a viewer cannot read a file, for the window and for the error of an SFTP client. */
export const CONTENTS_REFUSAL =
  'Your key has the role viewer, which can see the names of files, but not read them. An owner can allow it';

/**
 * Matches names of keys without escape sequences, line ends and invisible characters. Terminals and logs show such a
 * name exactly as it is.
 */
const VISIBLE = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u;

/** A public key that the master accepts. */
export const authorizedKeySchema = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(64)
    .regex(VISIBLE, 'contains invisible characters (control characters, changes of writing direction)'),
  role: roleSchema,
  /** Limit of the key. Null if the key is for all templates. A master of API version 4 has no limited keys. */
  templates: templateLimitSchema.nullable().default(null),
  /** Fingerprint in the form of OpenSSH: `SHA256:…`. */
  fingerprint: z.string(),
  addedAt: z.int(),
});
export type AuthorizedKey = z.infer<typeof authorizedKeySchema>;
