import { z } from 'zod';
import { fieldProblemSchema } from '../config/document.ts';
import { masterConfigSchema } from '../config/master.ts';
import { activityEventSchema, eventKinds } from '../model/event.ts';
import {
  copyConflictSchema,
  manifestEntrySchema,
  remotePathSchema,
  searchHitSchema,
} from '../model/files.ts';
import { costsSchema, historyRangeSchema, historySchema } from '../model/history.ts';
import { nodeSchema } from '../model/node.ts';
import { foresightSchema } from '../model/foresight.ts';
import { playerUuidSchema } from '../link/messages.ts';
import { playerSchema } from '../model/player.ts';
import { waitSchema } from '../model/wait.ts';
import { playerEntrySchema } from '../model/player-entry.ts';
import { authorizedKeySchema, roleSchema, type Role } from '../model/role.ts';
import { serviceIdSchema, serviceSchema } from '../model/service.ts';
import { revisionSchema, templateIdSchema, templateSchema } from '../model/template.ts';

/** Version of the admin API. Increases with each incompatible change; the app refuses a master with another version. */
export const API_VERSION = 4;

/** Name of the SSH subsystem that carries the admin API (JSON-RPC 2.0, Content-Length framing). */
export const RPC_SUBSYSTEM = 'overworld';

/** Maximum size of one message in either direction (bytes). */
export const MAX_MESSAGE_BYTES = 8 * 1_048_576;

interface Method<P extends z.ZodType, R extends z.ZodType> {
  /** Lowest role that may call the method. */
  readonly role: Exclude<Role, 'files'>;
  readonly params: P;
  readonly result: R;
}

function method<P extends z.ZodType, R extends z.ZodType>(
  role: Exclude<Role, 'files'>,
  params: P,
  result: R,
): Method<P, R> {
  return { role, params, result };
}

const nothing = z.strictObject({});
const done = z.strictObject({});

/** One line of a service's console. `seq` counts the lines since the service's start, from 0. */
export const logLineSchema = z.strictObject({ seq: z.int(), text: z.string() });
export type LogLine = z.infer<typeof logLineSchema>;

/** Kinds of data that can become outdated. The app then fetches again what it shows of them. */
export const topics = [
  'services',
  'templates',
  'nodes',
  'activity',
  'config',
  'keys',
  'history',
  'players',
  'way-in',
] as const;
export type Topic = (typeof topics)[number];

/** Schema of a configuration document with its state on disk. */
function documentSchema<S extends z.ZodType>(config: S) {
  return z.strictObject({
    config,
    configRevision: z.string(),
    problems: z.array(fieldProblemSchema),
  });
}

/**
 * Text of a document on disk, valid or faulty, and the revision that an update is based on. Fails with
 * DOCUMENT_NOT_TEXT if the document is larger than `MAX_DOCUMENT_BYTES`, is not a file or is not UTF-8.
 */
const documentTextSchema = z.strictObject({ text: z.string(), revision: z.string() });

/** The master configuration, with two fields that templates do not have. */
const masterDocumentSchema = documentSchema(masterConfigSchema).extend({
  /**
   * `communication` as it was when the master started (docs/specification.md#communication). A changed value takes
   * effect at the next start.
   */
  running: masterConfigSchema.shape.communication,
  /**
   * The document on disk if it is faulty and still valid JSON, with secrets masked and unknown keys without their
   * values. Null if the file is in use or is not JSON.
   */
  onDisk: z.unknown(),
});

/** Id of a long-running task, chosen by the caller. Its progress arrives as `files.progress`. */
const taskSchema = z.uuid();

/** Filter for events. An event must match all given fields. */
export const activityFilterSchema = z.strictObject({
  template: z.string().optional(),
  /** Id of the subject. */
  subject: z.string().optional(),
  kinds: z.array(z.enum(eventKinds)).optional(),
  /** Name of an authorized key, or `overworld`. */
  actor: z.string().optional(),
  /** Words that must all appear in message, cause, subject or actor, regardless of case. */
  text: z.string().max(200).optional(),
  /** Time range (ms since epoch): `from` is inclusive, `until` exclusive. */
  from: z.int().optional(),
  until: z.int().optional(),
});

/**
 * The admin API: all methods with their lowest role, parameters and result. Errors travel as {@link WireError} in
 * `error.data`.
 */
export const methods = {
  'master.info': method(
    'viewer',
    nothing,
    z.strictObject({
      version: z.string(),
      apiVersion: z.int(),
      cluster: z.string(),
      hostname: z.string(),
      /** Fingerprint of the host key of the master's SSH server: `SHA256:…`. */
      hostKey: z.string(),
      platform: z.string(),
      java: z.string().nullable(),
      startedAt: z.int(),
      /** The key of the caller. */
      you: z.strictObject({ name: z.string(), role: roleSchema }),
    }),
  ),
  /**
   * Shuts the master down. `stop`: stops all services first. `keep`: leaves them running, and the next start adopts
   * them.
   */
  'master.shutdown': method('owner', z.strictObject({ services: z.enum(['stop', 'keep']) }), done),
  'config.get': method('viewer', nothing, masterDocumentSchema),
  /**
   * Returns the text of `master.json` on disk. Hidden values appear as `••••` (the token in use) or `••••1`,
   * `••••2` (other values of the file). In `config.update` these placeholders stand for the hidden values.
   */
  'config.text': method('owner', nothing, documentTextSchema),
  /** Updates the master configuration. The token `••••`, as all clients receive it, keeps the stored token. */
  'config.update': method(
    'owner',
    z.strictObject({ config: z.unknown(), basedOn: z.string() }),
    masterDocumentSchema,
  ),
  /**
   * Returns a port on which the plugin link can listen now, for `communication.port`. The master tests it. Null if
   * it finds no free port nearby, or cannot listen on its address at all.
   */
  'config.freePort': method('owner', nothing, z.strictObject({ port: z.int().nullable() })),
  'templates.list': method('viewer', nothing, z.array(templateSchema)),
  /** Returns the text of the template's document on disk. */
  'templates.text': method('operator', z.strictObject({ id: templateIdSchema }), documentTextSchema),
  'templates.create': method(
    'operator',
    z.strictObject({ id: templateIdSchema, config: z.unknown() }),
    templateSchema,
  ),
  'templates.update': method(
    'operator',
    z.strictObject({ id: templateIdSchema, config: z.unknown(), basedOn: z.string() }),
    templateSchema,
  ),
  /** Creates a template with the values of another one and, with `files`, a copy of its files. */
  'templates.duplicate': method(
    'operator',
    z.strictObject({ from: templateIdSchema, to: templateIdSchema, files: z.boolean() }),
    templateSchema,
  ),
  /**
   * Starts a rolling restart: replacements are ready before old services stop, the number of services never falls
   * below the minimum, and used services finish first. `outdated`: only services with older files or values.
   * `none`: cancels the restart of services that are not yet replaced. Returns the affected services.
   */
  'templates.restart': method(
    'operator',
    z.strictObject({ id: templateIdSchema, which: z.enum(['outdated', 'all', 'none']) }),
    z.strictObject({ services: z.array(serviceIdSchema) }),
  ),
  /** Lists the stored earlier contents of the template's folder, newest first. */
  'templates.revisions': method('viewer', z.strictObject({ id: templateIdSchema }), z.array(revisionSchema)),
  /** Compares two stored contents and returns the paths that differ. */
  'templates.compareRevisions': method(
    'viewer',
    z.strictObject({ id: templateIdSchema, from: z.string(), to: z.string() }),
    z.strictObject({
      added: z.array(z.string()),
      removed: z.array(z.string()),
      changed: z.array(z.string()),
    }),
  ),
  /**
   * Restores the folder to a stored content. The current content becomes an earlier one. Fails with
   * REVISION_NOT_FOUND.
   */
  'templates.restoreRevision': method(
    'operator',
    z.strictObject({ id: templateIdSchema, revision: z.string() }),
    done,
  ),
  /**
   * Deletes a template with its files. `refuse`: fails with TEMPLATE_IN_USE while services exist. `stop`: stops
   * them first. `drain`: starts no more services, stops unused ones, and deletes the template after the last one is
   * removed.
   */
  'templates.delete': method(
    'operator',
    z.strictObject({ id: templateIdSchema, services: z.enum(['refuse', 'drain', 'stop']) }),
    done,
  ),
  /** Cancels a deletion by `drain`. */
  'templates.cancelDelete': method('operator', z.strictObject({ id: templateIdSchema }), done),
  /**
   * Pauses or resumes the template's automation. While it is paused its services are left as they are, and still
   * count.
   */
  'templates.hold': method('operator', z.strictObject({ id: templateIdSchema, held: z.boolean() }), done),
  /**
   * Returns the services that have changed since a given revision, so that 5,000 rows need not be sent each time.
   * If `complete` is true, the list contains all services, regardless of that revision.
   */
  'services.list': method(
    'viewer',
    z.strictObject({ since: z.int().optional() }),
    z.strictObject({
      revision: z.int(),
      complete: z.boolean(),
      services: z.array(serviceSchema),
      removed: z.array(serviceIdSchema),
      /** Players on all services, and `max_online_players`. */
      /** `players`: null while the master does not know yet which players are online, as right after its restart. */
      network: z.strictObject({ players: z.int().nullable(), limit: z.int() }),
    }),
  ),
  /** Pauses or resumes the service's automation. A paused service that is stopped stays REQUESTED and still counts. */
  'services.hold': method('operator', z.strictObject({ id: serviceIdSchema, held: z.boolean() }), done),
  /** Returns the log of the last failed attempt, oldest line first, at most 200 lines. Empty if no attempt failed. */
  'services.failureLog': method('viewer', z.strictObject({ id: serviceIdSchema }), z.array(z.string())),
  /** Requests one more service. Fails with CAP_REACHED. */
  'services.start': method(
    'operator',
    z.strictObject({ template: templateIdSchema }),
    z.strictObject({ id: serviceIdSchema }),
  ),
  /**
   * Stops a service. With `kill` the server gets no time to save and exit. Also succeeds if the service is already
   * stopping.
   */
  'services.stop': method('operator', z.strictObject({ id: serviceIdSchema, kill: z.boolean() }), done),
  /**
   * Moves the players of a service to fallbacks with room and stops it once it is empty, at the latest after
   * `withinMs` (null: no deadline). The service takes no new players. Players on a proxy stay until they leave. The
   * drain continues when the caller disconnects and when the master restarts. Also succeeds if the service is
   * already stopping.
   */
  'services.drain': method(
    'operator',
    z.strictObject({ id: serviceIdSchema, withinMs: z.int().min(0).max(86_400_000).nullable() }),
    done,
  ),
  /** Cancels a drain, so that the service takes players again. Also succeeds if it is not draining. */
  'services.cancelDrain': method('operator', z.strictObject({ id: serviceIdSchema }), done),
  /**
   * Stops the service and starts it again under its id, from the newest files and values. `kill` as for
   * `services.stop`.
   */
  'services.restart': method('operator', z.strictObject({ id: serviceIdSchema, kill: z.boolean() }), done),
  'services.command': method(
    'operator',
    z.strictObject({
      id: serviceIdSchema,
      line: z
        .string()
        .min(1)
        .max(1000)
        .regex(/^[^\r\n\0]*$/),
    }),
    done,
  ),
  /**
   * Returns the last lines. Later ones arrive as `service.log` until `services.unfollowLog` or until the connection
   * closes.
   */
  'services.followLog': method(
    'viewer',
    z.strictObject({ id: serviceIdSchema, lines: z.int().min(0).max(5000) }),
    z.array(logLineSchema),
  ),
  'services.unfollowLog': method('viewer', z.strictObject({ id: serviceIdSchema }), done),
  /**
   * Returns stored lines from `from` on. `next` is the line to continue with, null at the end. Also works for
   * services that have exited.
   */
  'services.readLog': method(
    'viewer',
    z.strictObject({ id: serviceIdSchema, from: z.int().min(0), limit: z.int().min(1).max(5000) }),
    z.strictObject({ lines: z.array(logLineSchema), next: z.int().nullable() }),
  ),
  /** Returns the newest stored lines that contain a text, at most `limit`, newest last. `more`: older matches exist. */
  'services.searchLog': method(
    'viewer',
    z.strictObject({
      id: serviceIdSchema,
      text: z.string().min(1).max(200),
      caseSensitive: z.boolean(),
      limit: z.int().min(1).max(5000),
    }),
    z.strictObject({ lines: z.array(logLineSchema), more: z.boolean() }),
  ),
  'nodes.list': method('viewer', nothing, z.array(nodeSchema)),
  /** Returns why the cloud provider cannot be reached or rejects requests, in one sentence. Null if neither applies. */
  'nodes.provider': method('viewer', nothing, z.strictObject({ trouble: z.string().nullable() })),
  /** Pauses or resumes the node's automation. */
  'nodes.hold': method('operator', z.strictObject({ id: z.string(), held: z.boolean() }), done),
  /** Protects a node from release, or removes the protection. The rules never release a protected node. */
  'nodes.lock': method('operator', z.strictObject({ id: z.string(), locked: z.boolean() }), done),
  /**
   * Changes how a node takes services. `cordon`: no new services. `drain`: also replaces its services on other
   * nodes and stops them once they are unused. `resume`: cancels both.
   *
   * `release`: drains the node and deletes it at its provider once it is empty, even if the hour is paid for
   * (NODE_NOT_RENTED for a machine that the provider does not run, NODE_LOCKED for a protected one). `resume`
   * cancels this, too.
   */
  'nodes.schedule': method(
    'operator',
    z.strictObject({ id: z.string(), to: z.enum(['cordon', 'drain', 'release', 'resume']) }),
    done,
  ),
  /** Returns how players join: load balancer, join addresses and plugin link. */
  'wayIn.get': method('viewer', nothing, playerEntrySchema),
  /**
   * Adds Overworld's section to the load balancer's configuration. The result is checked, and the old file is
   * backed up. All other bytes stay unchanged. Overworld never writes a file without its section before this call.
   */
  'balancer.adopt': method('owner', nothing, playerEntrySchema),
  /**
   * Removes Overworld's section from the load balancer's configuration. The admin manages HAProxy from then on, and
   * players join a proxy directly.
   */
  'balancer.remove': method('owner', nothing, playerEntrySchema),
  /**
   * Lists the players on the network, the earliest join first, at most 20,000. `total` counts all of them; null
   * while the master does not know yet which players are online.
   */
  'players.list': method(
    'viewer',
    nothing,
    z.strictObject({ total: z.int().nullable(), limit: z.int(), players: z.array(playerSchema) }),
  ),
  /**
   * Kicks a player with a message; a blank message is replaced with the default one. A session that its proxy does
   * not know is removed.
   */
  'players.kick': method(
    'operator',
    z.strictObject({ uuid: playerUuidSchema, message: z.string().max(256) }),
    done,
  ),
  /** Moves a player to another service. */
  'players.send': method(
    'operator',
    z.strictObject({ uuid: playerUuidSchema, service: serviceIdSchema }),
    done,
  ),
  /**
   * Returns what the rules would do from now on if no player joined or left, with the documents in use or with one
   * of them replaced. Nothing is executed. Fails with CONFIG_FAULTY for an invalid document. Null before the
   * master's first plan, and while it does not know yet which players are online, as right after its restart.
   */
  'plan.preview': method(
    'viewer',
    z.strictObject({
      template: z.strictObject({ id: templateIdSchema, config: z.unknown() }).optional(),
      /** A replacement for the master configuration. */
      master: z.unknown().optional(),
    }),
    foresightSchema.nullable(),
  ),
  /** Returns why a required node is not ordered. Null if nothing prevents orders. */
  'plan.noOrder': method('viewer', nothing, waitSchema.nullable()),
  /** Lists events, newest first. `before`: only events with a smaller `seq`. */
  'activity.list': method(
    'viewer',
    activityFilterSchema.extend({ before: z.int().optional(), limit: z.int().min(1).max(500) }),
    z.array(activityEventSchema),
  ),
  'history.get': method('viewer', z.strictObject({ range: historyRangeSchema }), historySchema),
  'costs.get': method('viewer', nothing, costsSchema),
  /**
   * Lists everything below a folder, ordered by path. `hashes` reads every file. Fails with TOO_MANY above 200,000
   * entries, or when the result exceeds half of the maximum message size: about 20,000 files with hashes, 30,000
   * without.
   */
  'files.manifest': method(
    'viewer',
    z.strictObject({ folder: remotePathSchema, hashes: z.boolean(), task: taskSchema }),
    z.array(manifestEntrySchema),
  ),
  /**
   * Searches below a folder for names (substrings, or masks with `*` and `?`) and, with `text`, in text files of at
   * most 4 MB. `more`: there are further hits.
   */
  'files.search': method(
    'viewer',
    z.strictObject({
      folder: remotePathSchema,
      name: z.string().max(200),
      text: z.string().max(200).nullable(),
      caseSensitive: z.boolean(),
      limit: z.int().min(1).max(2000),
      task: taskSchema,
    }),
    z.strictObject({ hits: z.array(searchHitSchema), more: z.boolean(), searched: z.int() }),
  ),
  /**
   * Copies files and folders on the master, also between templates, and compares counts and bytes. Cancelling
   * leaves no partial file.
   */
  'files.copy': method(
    'operator',
    z.strictObject({
      paths: z.array(remotePathSchema).min(1).max(10_000),
      folder: remotePathSchema,
      onConflict: copyConflictSchema,
      task: taskSchema,
    }),
    z.strictObject({ files: z.int(), bytes: z.int(), skipped: z.array(z.string()) }),
  ),
  /**
   * Cancels a task of this connection. The task then fails with TASK_CANCELLED. Also succeeds if there is no such
   * task.
   */
  'files.cancel': method('viewer', z.strictObject({ task: taskSchema }), done),
  'keys.list': method('owner', nothing, z.array(authorizedKeySchema)),
  'keys.add': method(
    'owner',
    z.strictObject({
      name: authorizedKeySchema.shape.name,
      role: roleSchema,
      publicKey: z.string().max(16_384),
    }),
    authorizedKeySchema,
  ),
  /** Removes a key by its name or fingerprint, and closes its open sessions. */
  'keys.remove': method('owner', z.strictObject({ key: z.string() }), authorizedKeySchema),
} as const;

export type MethodName = keyof typeof methods;
export type Params<M extends MethodName> = z.input<(typeof methods)[M]['params']>;
export type Result<M extends MethodName> = z.output<(typeof methods)[M]['result']>;

/** Notifications that the master sends without a request. */
export const notifications = {
  /** Data of these topics may have changed; fetch it again. Sent at most ten times a second. */
  stale: z.strictObject({ topics: z.array(z.enum(topics)) }),
  /** New console lines of a followed service. `ended`: its process has exited, and no more lines follow. */
  'service.log': z.strictObject({
    id: serviceIdSchema,
    lines: z.array(logLineSchema),
    ended: z.boolean(),
  }),
  /** Progress of a task, at most ten times a second. `total` is null while it is unknown. */
  'files.progress': z.strictObject({
    task: taskSchema,
    files: z.strictObject({ done: z.int(), total: z.int().nullable() }),
    bytes: z.strictObject({ done: z.int(), total: z.int().nullable() }),
  }),
} as const;

export type NotificationName = keyof typeof notifications;
export type Notification<N extends NotificationName> = z.output<(typeof notifications)[N]>;
