import { z } from 'zod';

/**
 * Roles on authorized keys (docs/master-config.md). `files`: SFTP only. `viewer`: sees everything but secrets.
 * `operator`: also services, templates and files. `owner`: also keys and the master configuration.
 */
export const roles = ['files', 'viewer', 'operator', 'owner'] as const;
export const roleSchema = z.enum(roles);
export type Role = z.infer<typeof roleSchema>;

/** True when `role` may do what needs `needs`. Each role includes the ones before it, but `files` is beside them. */
export function permits(role: Role, needs: Exclude<Role, 'files'>): boolean {
  return role !== 'files' && roles.indexOf(role) >= roles.indexOf(needs);
}

/** True when the role may read and write template files over SFTP; a viewer only reads them. */
export function permitsFiles(role: Role, write: boolean): boolean {
  return !write || role !== 'viewer';
}

/** Names stand beside what people did: none may repaint a terminal, or read as another one. */
const VISIBLE = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u;

/** A person's public key that the master accepts. */
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
  /** OpenSSH's form: `SHA256:…`. */
  fingerprint: z.string(),
  addedAt: z.int(),
});
export type AuthorizedKey = z.infer<typeof authorizedKeySchema>;
