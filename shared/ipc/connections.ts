import { z } from 'zod';
import { channel, done, nothing } from './channel.ts';

/** Id of the profile of the master that comes with the app. It cannot be removed. */
export const EMBEDDED = 'embedded';

const connectionIdSchema = z.string().min(1).max(64);

const hostSchema = z
  .string()
  .trim()
  .min(1)
  .max(253)
  .regex(/^[^\s/@]+$/);

const portSchema = z.int().min(1).max(65_535);

/** Where a master is: what a person enters. */
export const connectionDraftSchema = z.strictObject({
  name: z.string().trim().min(1).max(64),
  /** Name or address of the master's machine. */
  host: hostSchema,
  /** Port of the master's own SSH server. */
  port: portSchema,
});
export type ConnectionDraft = z.infer<typeof connectionDraftSchema>;

/** A profile of a master. */
export const connectionSchema = z.strictObject({
  id: connectionIdSchema,
  kind: z.enum(['embedded', 'remote']),
  name: z.string(),
  /** Null for the embedded master, which chooses its own. */
  host: z.string().nullable(),
  port: z.int().nullable(),
  /** Pinned host key, `SHA256:…`; null until it was trusted. */
  hostKey: z.string().nullable(),
  /** Ms since epoch; null when it never was. */
  lastConnectedAt: z.int().nullable(),
  /** The one in use. */
  active: z.boolean(),
});
export type Connection = z.infer<typeof connectionSchema>;

/** What a test of a connection found out. */
export const connectionTestSchema = z.strictObject({
  hostKey: z.string(),
  /** `unknown`: nothing is pinned. `changed`: another one is. */
  trust: z.enum(['pinned', 'unknown', 'changed']),
  /** Null when the key is not trusted yet: nothing more was asked. */
  master: z.strictObject({ version: z.string(), hostname: z.string(), role: z.string() }).nullable(),
  /** From the first packet to the answer, ms. */
  ms: z.int(),
});
export type ConnectionTest = z.infer<typeof connectionTestSchema>;

/** What the window asks about the masters this app knows. */
export const connectionRequests = {
  'connections.list': channel(nothing, z.array(connectionSchema)),
  /** `id` null: a new one. Another host or port forgets the pinned key. */
  'connections.save': channel(
    z.strictObject({ id: connectionIdSchema.nullable(), draft: connectionDraftSchema }),
    connectionSchema,
  ),
  /** The one in use cannot be removed, nor the embedded one. */
  'connections.remove': channel(z.strictObject({ id: connectionIdSchema }), done),
  /** Connects to it from now on, also after a restart. The embedded master runs only while it is in use, or has services. */
  'connections.use': channel(z.strictObject({ id: connectionIdSchema }), done),
  /** Ends the master of this computer and starts it again; its services run on. Refused while another one is in use. */
  'connections.restartMaster': channel(nothing, done),
  /** Connects and asks who is there, beside the connection in use. Sends nothing to a master whose key is not the pinned one. */
  'connections.test': channel(
    z.strictObject({ id: connectionIdSchema.nullable(), draft: connectionDraftSchema }),
    connectionTestSchema,
  ),
  /**
   * A person compared the fingerprint: after a dialog of the main process's own it is pinned, also in place of another one,
   * and the link tries again. Only a key that this app has been shown itself: HOST_KEY_NOT_SHOWN. In place of another one the
   * master's name is to be typed: HOST_KEY_NAME_MISSING. `trusted` false: the person closed the dialog.
   */
  'connections.trust': channel(
    z.strictObject({
      id: connectionIdSchema,
      hostKey: z.string().startsWith('SHA256:').max(100),
      /** What was typed as the master's name. */
      typedName: z.string().max(200).optional(),
    }),
    z.strictObject({ trusted: z.boolean() }),
  ),
} as const;
