import { z } from 'zod';
import { authorizedKeySchema } from '#shared/model/access/role.ts';
import { templateLimitSchema } from '#shared/model/access/template-limit.ts';
import { fileViews } from '#shared/model/file-views.ts';
import { copyConflictSchema, manifestEntrySchema, searchHitSchema } from '#shared/model/files.ts';
import { serviceIdSchema } from '#shared/model/service-id.ts';
import { wireErrorSchema } from '#shared/errors/wire.ts';
import { MAX_NAME_BYTES, MAX_PATH_BYTES } from '#master/files/sftp/protocol/virtual-path.ts';
import { securityKeyTypes } from '../security-key.ts';

/**
 * Maximum size of a message (bytes). No message reaches this limit: the largest messages are lists of files, and each
 * list has at most half the size of the largest message of the admin API.
 */
export const MAX_MESSAGE_BYTES = 16 * 2 ** 20;

/**
 * Maximum size of a request or notification of the SSH service (bytes). The largest request contains two paths of
 * 4 KB, and each byte of a path takes up to 6 bytes in JSON.
 */
export const MAX_REQUEST_OF_SERVICE_BYTES = 65_536;

/** Maximum number of changes and writes in the views that one session has in progress at the same time. */
export const MAX_SPANS = 16;

const bytes = z.base64();
/** Bytes from a client that has not logged in, as base64. `max`: maximum number of bytes before the encoding. */
const limitedBytes = (max: number) => z.base64().max(4 * Math.ceil(max / 3));
const id = z.int().min(0);
const count = z.int().min(0);
const nothing = z.strictObject({});
const limit = templateLimitSchema.nullable();
/**
 * A canonical path. It starts with a slash, which clients can omit in their paths, so it can be one character longer
 * than the longest path of a client. The limit of paths is in bytes, and a text never has more characters than bytes.
 */
const path = z.string().max(MAX_PATH_BYTES + 1);
/** The names in a path, with the same limits as in the SFTP server. */
const names = z.array(z.string().max(MAX_NAME_BYTES)).max(MAX_PATH_BYTES / 2);

export interface MessageTypes {
  readonly params: z.ZodType;
  readonly result: z.ZodType;
}

function message<P extends z.ZodType, R extends z.ZodType>(params: P, result: R) {
  return { params, result };
}

const settingsSchema = z.strictObject({
  viewersRead: z.boolean(),
  /** Free space on the disk that writes must leave (bytes). */
  reserveBytes: z.number(),
});
/** Settings of the master configuration that the SSH service follows. */
export type ServiceSettings = z.infer<typeof settingsSchema>;

const startSchema = z.strictObject({
  host: z.string(),
  port: z.int(),
  loginGraceMs: z.number().optional(),
  /** The service gets the private host key, because it signs with this key. */
  hostKey: z.strictObject({ privateKey: z.string(), fingerprint: z.string() }),
  /** Absolute paths on the disk. `staged`: the folder of the staging folders. */
  folders: z.strictObject({ templates: z.string(), files: z.string(), staged: z.string().nullable() }),
  settings: settingsSchema,
});
export type StartParams = z.infer<typeof startSchema>;

const copyReportSchema = z.strictObject({
  files: count,
  bytes: count,
  changed: z.boolean(),
  planned: z.strictObject({ files: count, bytes: count }).nullable(),
});

/**
 * Requests and notifications of the master to the SSH service. A notification has the result `{}`, and the master
 * does not wait for this result. Each task has an id. The id identifies the task in reports of its progress and in a
 * request to cancel it.
 */
export const toService = {
  start: message(startSchema, z.strictObject({ host: z.string(), port: z.int() })),
  /** Answered immediately. A service that does not answer is considered to hang. */
  ping: message(nothing, nothing),
  /** Answered when the new settings apply to all sessions. */
  settings: message(settingsSchema, nothing),
  /** Answered when the connection is closed. */
  hangUp: message(z.strictObject({ session: z.string() }), nothing),
  /** Answered when all connections are closed. */
  stop: message(nothing, nothing),
  manifest: message(
    z.strictObject({ task: id, limit, folder: path, hashes: z.boolean() }),
    z.array(manifestEntrySchema),
  ),
  search: message(
    z.strictObject({
      task: id,
      limit,
      folder: path,
      name: z.string(),
      text: z.string().nullable(),
      caseSensitive: z.boolean(),
      limitOfHits: count,
    }),
    z.strictObject({ hits: z.array(searchHitSchema), more: z.boolean(), searched: count }),
  ),
  /** The answer contains a report even if the copy has failed. */
  copy: message(
    z.strictObject({
      task: id,
      limit,
      paths: z.array(path),
      folder: path,
      onConflict: copyConflictSchema,
      staged: z.boolean(),
    }),
    z.strictObject({
      report: copyReportSchema,
      outcome: z.union([
        z.strictObject({ files: count, bytes: count, skipped: z.array(z.string()) }),
        z.strictObject({ error: wireErrorSchema }),
      ]),
    }),
  ),
  cancel: message(z.strictObject({ task: id }), nothing),
  requirePlaceForCopy: message(nothing, nothing),
  storeCopy: message(
    z.strictObject({ task: id, id: serviceIdSchema, path: z.string(), staged: path, at: z.number() }),
    z.strictObject({ folder: z.string() }),
  ),
} as const satisfies Record<string, MessageTypes>;

const attrsSchema = z.strictObject({
  size: z.number(),
  uid: z.number(),
  gid: z.number(),
  mode: z.number(),
  atimeMs: z.number(),
  mtimeMs: z.number(),
});

const session = z.string().max(64);
const at = { session, view: z.enum(fileViews), names };
const opened = z.strictObject({ handle: id, attrs: attrsSchema });
const onHandle = z.strictObject({ session, handle: id });

/** Algorithms of the keys that can be authorized. For an RSA key, the client also names the hash of its signature. */
const keyAlgorithms = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
  ...securityKeyTypes,
] as const;

/**
 * The limits are large enough for an RSA key of 16,384 bits, which has 2 KB, and for signed bytes with a user name of
 * 4 KB.
 */
const loginSchema = z.strictObject({
  address: z.string().max(256),
  software: z.string().max(1_024),
  algorithm: z.enum(keyAlgorithms),
  key: limitedBytes(4_096),
  proof: z
    .strictObject({
      signature: limitedBytes(3_072),
      signed: limitedBytes(8_192),
      hash: z.enum(['sha256', 'sha512']).optional(),
    })
    .nullable(),
});

/** Requests and notifications of the SSH service to the master. */
export const toMaster = {
  login: message(
    loginSchema,
    z.discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('accepted'),
        session: z.string(),
        key: authorizedKeySchema,
        hasViews: z.boolean(),
      }),
      z.strictObject({ kind: z.literal('probe') }),
      z.strictObject({ kind: z.literal('refused'), why: z.string().optional() }),
    ]),
  ),
  refused: message(z.strictObject({ address: z.string().max(256), why: z.string().max(1_024) }), nothing),
  closed: message(z.strictObject({ session }), nothing),
  channel: message(z.strictObject({ session, use: z.enum(['api', 'sftp']), isOpen: z.boolean() }), nothing),
  progress: message(
    z.strictObject({
      task: id,
      files: z.strictObject({ done: count, total: count.nullable() }),
      bytes: z.strictObject({ done: count, total: count.nullable() }),
    }),
    nothing,
  ),
  /** Reports a change of a file. The master adds the name of the session's key and the template. */
  fileEvent: message(
    z.strictObject({
      session,
      kind: z.enum(['files.written', 'files.deleted', 'files.renamed']),
      path,
      to: path.optional(),
    }),
    nothing,
  ),
  'view.stat': message(z.strictObject(at), attrsSchema),
  'view.list': message(z.strictObject(at), opened),
  'view.open': message(z.strictObject(at), opened),
  'view.next': message(onHandle, z.array(z.strictObject({ name: z.string(), attrs: attrsSchema }))),
  'view.read': message(
    z.strictObject({ session, handle: id, position: z.number(), length: z.int().min(0).max(262_144) }),
    z.strictObject({ content: bytes }),
  ),
  'view.close': message(onHandle, nothing),
  /** Begins a change in a view. The change lasts until `change.end`. */
  'change.begin': message(
    z.strictObject(at),
    z.strictObject({ handle: id, folder: z.string(), names: z.array(z.string()) }),
  ),
  'change.place': message(z.strictObject({ session, handle: id, names }), z.array(z.string())),
  /** Called before a write. The master refuses it if the write would exceed a quota. */
  'change.use': message(z.strictObject({ session, handle: id, bytes: z.number().min(0) }), nothing),
  'change.end': message(onHandle, nothing),
  /**
   * Tells the master that a file was opened for writing during a change.
   *
   * @returns a handle, which can outlast the change
   */
  'hold.take': message(onHandle, z.strictObject({ handle: id })),
  /** Begins a write to an open file. The write lasts until `write.end`. */
  'write.begin': message(onHandle, z.strictObject({ handle: id })),
  'write.end': message(onHandle, nothing),
  'hold.release': message(onHandle, nothing),
} as const satisfies Record<string, MessageTypes>;
