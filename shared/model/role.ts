import { z } from 'zod';

/**
 * Roles of authorized keys (docs/master-config.md). `files`: SFTP only. `viewer`: reads everything except secrets.
 * `operator`: also manages services, templates and files. `owner`: also manages keys and the master configuration.
 */
export const roles = ['files', 'viewer', 'operator', 'owner'] as const;
export const roleSchema = z.enum(roles);
export type Role = z.infer<typeof roleSchema>;

/**
 * Returns whether `role` includes the rights of `needs`. Each role includes the ones before it, except `files`,
 * which stands apart.
 *
 * Example: `permits('owner', 'viewer')` → true, `permits('files', 'viewer')` → false.
 */
export function permits(role: Role, needs: Exclude<Role, 'files'>): boolean {
  return role !== 'files' && roles.indexOf(role) >= roles.indexOf(needs);
}

/** Returns whether the role may access template files over SFTP. A viewer may only read. */
export function permitsFiles(role: Role, write: boolean): boolean {
  return !write || role !== 'viewer';
}

/**
 * Names are shown in terminals and logs, so they may not contain escape sequences or characters that change how
 * they read.
 */
const VISIBLE = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u;

/** A public key that the master accepts. */
export const authorizedKeySchema = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(64)
    .regex(
      VISIBLE,
      'holds characters that cannot be seen (control characters, changes of writing direction)',
    ),
  role: roleSchema,
  /** Fingerprint in the form of OpenSSH: `SHA256:…`. */
  fingerprint: z.string(),
  addedAt: z.int(),
});
export type AuthorizedKey = z.infer<typeof authorizedKeySchema>;
