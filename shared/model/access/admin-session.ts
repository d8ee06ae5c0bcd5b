import { z } from 'zod';
import { roleSchema } from './role.ts';

/** Maximum length of the name of a client's software. */
export const MAX_CLIENT_CHARACTERS = 64;

/** A session: one logged-in SSH connection of a person. The app has one, and SFTP clients have one or more. */
export const adminSessionSchema = z.strictObject({
  /** Differs from the ids of all other open sessions. */
  id: z.string(),
  /** Name, fingerprint and role of the key that has logged in. */
  key: z.string(),
  fingerprint: z.string(),
  role: roleSchema,
  /** Address from which the client connects. */
  address: z.string(),
  /** Name of the client's software, as the client reports it: `OpenSSH_9.2p1`. May be empty. */
  client: z.string(),
  /** Number of open channels: `api` for the admin API, which the app uses, and `sftp` for SFTP. */
  channels: z.strictObject({ api: z.int(), sftp: z.int() }),
  /** Time of the login (ms since epoch). */
  since: z.int(),
  /** Whether this is the session of the caller that requested the list. */
  own: z.boolean(),
});
export type AdminSession = z.infer<typeof adminSessionSchema>;
