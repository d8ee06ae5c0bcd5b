import { z } from 'zod';
import { channel, done, nothing } from './channel.ts';

/** Id of the profile of the embedded master, which comes with the app. The profile cannot be removed. */
export const EMBEDDED = 'embedded';

const connectionIdSchema = z.string().min(1).max(64);

const hostSchema = z
  .string()
  .trim()
  .min(1)
  .max(253)
  .regex(/^[^\s/@]+$/);

const portSchema = z.int().min(1).max(65_535);

/** The part of a connection profile that a person enters. */
export const connectionDraftSchema = z.strictObject({
  name: z.string().trim().min(1).max(64),
  /** Name or address of the master's machine. */
  host: hostSchema,
  /** Port of the master's SSH server. */
  port: portSchema,
});
export type ConnectionDraft = z.infer<typeof connectionDraftSchema>;

/** A profile of a master. */
export const connectionSchema = z.strictObject({
  id: connectionIdSchema,
  kind: z.enum(['embedded', 'remote']),
  name: z.string(),
  /** Null for the embedded master, which chooses its own address. */
  host: z.string().nullable(),
  port: z.int().nullable(),
  /** Pinned host key, `SHA256:…`. Null until a person has trusted one. */
  hostKey: z.string().nullable(),
  /** Time of the last connection (ms since epoch). Null if there was none. */
  lastConnectedAt: z.int().nullable(),
  /** Whether this is the profile in use. */
  active: z.boolean(),
});
export type Connection = z.infer<typeof connectionSchema>;

/** Result of testing a connection. */
export const connectionTestSchema = z.strictObject({
  hostKey: z.string(),
  /** `unknown`: no key is pinned. `changed`: a different key is pinned. */
  trust: z.enum(['pinned', 'unknown', 'changed']),
  /** The master's identity. Null if its host key is not trusted, because then the app sends no request. */
  master: z.strictObject({ version: z.string(), hostname: z.string(), role: z.string() }).nullable(),
  /** Time from the first packet to the response (ms). */
  ms: z.int(),
});
export type ConnectionTest = z.infer<typeof connectionTestSchema>;

/** Requests about the masters that this app knows. */
export const connectionRequests = {
  'connections.list': channel(nothing, z.array(connectionSchema)),
  /** Saves a profile; with `id` null it creates one. A changed host or port removes the pinned key. */
  'connections.save': channel(
    z.strictObject({ id: connectionIdSchema.nullable(), draft: connectionDraftSchema }),
    connectionSchema,
  ),
  /** Removes a profile. The profile in use and the embedded one cannot be removed. */
  'connections.remove': channel(z.strictObject({ id: connectionIdSchema }), done),
  /**
   * Connects to the master of a profile. The profile stays in use after a restart of the app. The embedded master
   * runs only while its profile is in use or it has services.
   */
  'connections.use': channel(z.strictObject({ id: connectionIdSchema }), done),
  /** Restarts the embedded master. Its services keep running. Rejected while another profile is in use. */
  'connections.restartMaster': channel(nothing, done),
  /**
   * Opens a second connection beside the current one, and asks the master for its identity. Sends nothing to a master
   * whose key is not the pinned key.
   */
  'connections.test': channel(
    z.strictObject({ id: connectionIdSchema.nullable(), draft: connectionDraftSchema }),
    connectionTestSchema,
  ),
  /**
   * Pins a host key after a person has compared its fingerprint, and reconnects. The main process first shows its own
   * dialog; `trusted` is false if the person cancels it.
   *
   * Fails with HOST_KEY_NOT_SHOWN unless the master has presented the key to this app. Fails with
   * HOST_KEY_NAME_MISSING if another key is pinned and `typedName` is not the name of the connection.
   */
  'connections.trust': channel(
    z.strictObject({
      id: connectionIdSchema,
      hostKey: z.string().startsWith('SHA256:').max(100),
      /** Name of the connection, typed by the person. Required to replace a pinned key. */
      typedName: z.string().max(200).optional(),
    }),
    z.strictObject({ trusted: z.boolean() }),
  ),
} as const;
