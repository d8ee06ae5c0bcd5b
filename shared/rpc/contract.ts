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
import { wayInSchema } from '../model/way-in.ts';
import { authorizedKeySchema, roleSchema, type Role } from '../model/role.ts';
import { serviceIdSchema, serviceSchema } from '../model/service.ts';
import { revisionSchema, templateIdSchema, templateSchema } from '../model/template.ts';

/** Goes up when a method changes incompatibly; the app refuses a master with another one. */
export const API_VERSION = 4;

/** Name of the SSH subsystem that carries this API (JSON-RPC 2.0, Content-Length framing). */
export const RPC_SUBSYSTEM = 'overworld';

/** Largest single message in either direction, in bytes. */
export const MAX_MESSAGE_BYTES = 8 * 1_048_576;

interface Method<P extends z.ZodType, R extends z.ZodType> {
  /** Least role that may call it. */
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

/** One line of a service's console. `seq` counts all lines since the service's start, from 0. */
export const logLineSchema = z.strictObject({ seq: z.int(), text: z.string() });
export type LogLine = z.infer<typeof logLineSchema>;

/** Things that can become stale; the app fetches what it shows again. */
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

/** A configuration document with its state on disk. */
function documentSchema<S extends z.ZodType>(config: S) {
  return z.strictObject({
    config,
    configRevision: z.string(),
    problems: z.array(fieldProblemSchema),
  });
}

/**
 * A document's text as it stands on disk, faulty or not, and the revision to base an update on. At most
 * `MAX_DOCUMENT_BYTES`; DOCUMENT_NOT_TEXT when it is larger, no file, or not UTF-8.
 */
const documentTextSchema = z.strictObject({ text: z.string(), revision: z.string() });

/** The master configuration with what only it has. */
const masterDocumentSchema = documentSchema(masterConfigSchema).extend({
  /** `communication` as it was taken at the master's start (docs/specification.md#communication); a changed one waits for the next. */
  running: masterConfigSchema.shape.communication,
  /**
   * The document on disk while it is faulty and still JSON, secrets masked and keys that are not ours without their
   * value; null while the file is in use, or no JSON at all.
   */
  onDisk: z.unknown(),
});

/** Names one long piece of work, chosen by the caller: its progress comes as `files.progress`. */
const taskSchema = z.uuid();

/** Which events are wanted; all that is given must fit. */
export const activityFilterSchema = z.strictObject({
  template: z.string().optional(),
  /** Id of what it happened to. */
  subject: z.string().optional(),
  kinds: z.array(z.enum(eventKinds)).optional(),
  /** Name of an authorized key, or `overworld`. */
  actor: z.string().optional(),
  /** Each of its words is found in message, cause, subject or actor, whatever the case. */
  text: z.string().max(200).optional(),
  /** Times, ms since epoch: `from` included, `until` not. */
  from: z.int().optional(),
  until: z.int().optional(),
});

/** The admin API: every method with its least role, parameters and result. Errors travel as {@link WireError} in `error.data`. */
export const methods = {
  'master.info': method(
    'viewer',
    nothing,
    z.strictObject({
      version: z.string(),
      apiVersion: z.int(),
      cluster: z.string(),
      hostname: z.string(),
      /** Fingerprint of the host key that the master shows over SSH: `SHA256:…`. */
      hostKey: z.string(),
      platform: z.string(),
      java: z.string().nullable(),
      startedAt: z.int(),
      /** The calling key. */
      you: z.strictObject({ name: z.string(), role: roleSchema }),
    }),
  ),
  /** Ends the master. `stop`: stops all services first; `keep`: leaves them running for the next start to adopt. */
  'master.shutdown': method('owner', z.strictObject({ services: z.enum(['stop', 'keep']) }), done),
  'config.get': method('viewer', nothing, masterDocumentSchema),
  /**
   * The text of `master.json` on disk. A hidden value stands as `••••` (the token in use) or `••••1`, `••••2` (other values
   * of the file); sent back in `config.update`, they mean the hidden values.
   */
  'config.text': method('owner', nothing, documentTextSchema),
  /** The token `••••` (as sent to everybody) means: keep the stored one. */
  'config.update': method(
    'owner',
    z.strictObject({ config: z.unknown(), basedOn: z.string() }),
    masterDocumentSchema,
  ),
  /**
   * A port at which the plugin link could listen now, for `communication.port`: the master has tried it. Null when it found
   * none near, or cannot listen at its address at all.
   */
  'config.freePort': method('owner', nothing, z.strictObject({ port: z.int().nullable() })),
  'templates.list': method('viewer', nothing, z.array(templateSchema)),
  /** The text of the template's document on disk. */
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
  /** A new template with the values of another one, and with its files when asked for: copied on the master. */
  'templates.duplicate': method(
    'operator',
    z.strictObject({ from: templateIdSchema, to: templateIdSchema, files: z.boolean() }),
    templateSchema,
  ),
  /**
   * Rolling restart: new services are ready before old ones go, never below the minimum, those in use finish first.
   * `outdated`: those that run from older files or values; `none`: those not yet replaced stay. Answers who is concerned.
   */
  'templates.restart': method(
    'operator',
    z.strictObject({ id: templateIdSchema, which: z.enum(['outdated', 'all', 'none']) }),
    z.strictObject({ services: z.array(serviceIdSchema) }),
  ),
  /** Earlier content of its folder that is still kept, newest first. */
  'templates.revisions': method('viewer', z.strictObject({ id: templateIdSchema }), z.array(revisionSchema)),
  /** What differs between two kept contents, by paths. */
  'templates.compareRevisions': method(
    'viewer',
    z.strictObject({ id: templateIdSchema, from: z.string(), to: z.string() }),
    z.strictObject({
      added: z.array(z.string()),
      removed: z.array(z.string()),
      changed: z.array(z.string()),
    }),
  ),
  /** Puts the folder back to a kept content; what stands there now becomes an earlier one. REVISION_NOT_FOUND. */
  'templates.restoreRevision': method(
    'operator',
    z.strictObject({ id: templateIdSchema, revision: z.string() }),
    done,
  ),
  /**
   * `refuse`: fails with TEMPLATE_IN_USE while services exist; `stop`: stops them, then deletes; `drain`: starts none,
   * stops those that nobody uses, and deletes it with its files once the last is gone.
   */
  'templates.delete': method(
    'operator',
    z.strictObject({ id: templateIdSchema, services: z.enum(['refuse', 'drain', 'stop']) }),
    done,
  ),
  /** Takes a deletion by `drain` back. */
  'templates.cancelDelete': method('operator', z.strictObject({ id: templateIdSchema }), done),
  /** Takes a template out of automation, or puts it back: its services are left as they are, and still count. */
  'templates.hold': method('operator', z.strictObject({ id: templateIdSchema, held: z.boolean() }), done),
  /**
   * Services changed since a revision the caller has seen, so that 5,000 rows need not travel each time.
   * `complete`: the list is everything, whatever the caller had.
   */
  'services.list': method(
    'viewer',
    z.strictObject({ since: z.int().optional() }),
    z.strictObject({
      revision: z.int(),
      complete: z.boolean(),
      services: z.array(serviceSchema),
      removed: z.array(serviceIdSchema),
      /** Players on all services against `max_online_players`. */
      /** `players`: null while the master does not know yet who is on what, as right after its restart. */
      network: z.strictObject({ players: z.int().nullable(), limit: z.int() }),
    }),
  ),
  /** Takes a service out of automation, or puts it back. A held one that is stopped stays REQUESTED, and counts. */
  'services.hold': method('operator', z.strictObject({ id: serviceIdSchema, held: z.boolean() }), done),
  /** Log of the last failed attempt, oldest line first, at most 200; empty when it never failed. */
  'services.failureLog': method('viewer', z.strictObject({ id: serviceIdSchema }), z.array(z.string())),
  /** Asks for one more service; refused with CAP_REACHED. */
  'services.start': method(
    'operator',
    z.strictObject({ template: templateIdSchema }),
    z.strictObject({ id: serviceIdSchema }),
  ),
  /** `kill`: without waiting for the server to save and end. Stopping a stopping service is fine. */
  'services.stop': method('operator', z.strictObject({ id: serviceIdSchema, kill: z.boolean() }), done),
  /**
   * Moves the players of a service to fallbacks with room, then stops it: once it is empty, or after `withinMs` at the latest
   * (null: it waits). It takes no new players meanwhile. Those on a proxy stay until they leave. Survives the caller and the
   * master's restart. Fine when it is being stopped already.
   */
  'services.drain': method(
    'operator',
    z.strictObject({ id: serviceIdSchema, withinMs: z.int().min(0).max(86_400_000).nullable() }),
    done,
  ),
  /** Cancels a drain: the service takes players again. Fine when it is not draining. */
  'services.cancelDrain': method('operator', z.strictObject({ id: serviceIdSchema }), done),
  /** Stops it and starts it again under its id, from the newest files and values. `kill` as with `services.stop`. */
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
  /** The last lines now; later ones come as `service.log` until `services.unfollowLog` or the end of the connection. */
  'services.followLog': method(
    'viewer',
    z.strictObject({ id: serviceIdSchema, lines: z.int().min(0).max(5000) }),
    z.array(logLineSchema),
  ),
  'services.unfollowLog': method('viewer', z.strictObject({ id: serviceIdSchema }), done),
  /** Lines from `from` on, as far as they are kept; `next` is where to read on, null at the end. Also of services that have ended. */
  'services.readLog': method(
    'viewer',
    z.strictObject({ id: serviceIdSchema, from: z.int().min(0), limit: z.int().min(1).max(5000) }),
    z.strictObject({ lines: z.array(logLineSchema), next: z.int().nullable() }),
  ),
  /** Kept lines that hold a text, newest last; at most `limit` of the newest. `more`: there are older ones. */
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
  /** Why the hosting provider cannot be asked, or refuses what is asked; one sentence, null when all is well. */
  'nodes.provider': method('viewer', nothing, z.strictObject({ trouble: z.string().nullable() })),
  /** Takes a node out of automation, or puts it back. */
  'nodes.hold': method('operator', z.strictObject({ id: z.string(), held: z.boolean() }), done),
  /** A locked node is never released by the rules. */
  'nodes.lock': method('operator', z.strictObject({ id: z.string(), locked: z.boolean() }), done),
  /**
   * `cordon`: no new services. `drain`: also replaces its services elsewhere and stops them once unused. `resume`: takes both back.
   * `release`: drains it and gives it back to its provider once it is empty, whatever is paid (NODE_NOT_RENTED for a
   * machine of one's own, NODE_LOCKED for a locked one); `resume` takes that back too.
   */
  'nodes.schedule': method(
    'operator',
    z.strictObject({ id: z.string(), to: z.enum(['cordon', 'drain', 'release', 'resume']) }),
    done,
  ),
  /** How players come in: load balancer, address to join, plugin link. */
  'wayIn.get': method('viewer', nothing, wayInSchema),
  /**
   * Puts Overworld's section into the load balancer's configuration, which is checked and backed up; the rest stays byte
   * for byte. Until then a file without one is never written.
   */
  'balancer.adopt': method('owner', nothing, wayInSchema),
  /** Takes Overworld's section out again: HAProxy is left to the admin, and players join a proxy directly. */
  'balancer.remove': method('owner', nothing, wayInSchema),
  /** Who is on the network, the first to come first; at most 20,000 (`total` counts all; null while the master does not know yet who is on what). */
  'players.list': method(
    'viewer',
    nothing,
    z.strictObject({ total: z.int().nullable(), limit: z.int(), players: z.array(playerSchema) }),
  ),
  /** Sends a player away with a message, a default one when it is blank. A session that its proxy does not know (any more) is struck off. */
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
   * What the rules would do from now on if nobody joined or left: with the documents in use, or with one of them
   * replaced. Nothing is done. A document with mistakes is refused with CONFIG_FAULTY. Null before the master's first plan, and
   * while it does not know yet who is on what, as right after its restart.
   */
  'plan.preview': method(
    'viewer',
    z.strictObject({
      template: z.strictObject({ id: templateIdSchema, config: z.unknown() }).optional(),
      /** The master configuration. */
      master: z.unknown().optional(),
    }),
    foresightSchema.nullable(),
  ),
  /** Why a node that is wanted is not ordered; null when all is well. */
  'plan.noOrder': method('viewer', nothing, waitSchema.nullable()),
  /** Newest first. `before`: only events with a smaller `seq`. */
  'activity.list': method(
    'viewer',
    activityFilterSchema.extend({ before: z.int().optional(), limit: z.int().min(1).max(500) }),
    z.array(activityEventSchema),
  ),
  'history.get': method('viewer', z.strictObject({ range: historyRangeSchema }), historySchema),
  'costs.get': method('viewer', nothing, costsSchema),
  /**
   * All that lies below a folder, in the order of paths; `hashes`: reads every file. At most 200,000 entries, and what
   * half a message holds: about 20,000 files with hashes, 30,000 without (TOO_MANY).
   */
  'files.manifest': method(
    'viewer',
    z.strictObject({ folder: remotePathSchema, hashes: z.boolean(), task: taskSchema }),
    z.array(manifestEntrySchema),
  ),
  /**
   * Looks below a folder for names (parts of them, or masks with `*` and `?`) and, where `text` is given, into text files
   * of at most 4 MB. `more`: there are further hits.
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
  /** Copies files and folders on the master, template to template; counts and bytes are compared. Cancelled, it leaves no half file. */
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
  /** Ends a piece of work of this connection; it fails with TASK_CANCELLED. Fine when there is none of that name. */
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
  /** By name or fingerprint. Closes that key's open sessions. */
  'keys.remove': method('owner', z.strictObject({ key: z.string() }), authorizedKeySchema),
} as const;

export type MethodName = keyof typeof methods;
export type Params<M extends MethodName> = z.input<(typeof methods)[M]['params']>;
export type Result<M extends MethodName> = z.output<(typeof methods)[M]['result']>;

/** What the master says without being asked. */
export const notifications = {
  /** These may have changed: fetch again. At most ten a second. */
  stale: z.strictObject({ topics: z.array(z.enum(topics)) }),
  /** New console lines of a followed service. `ended`: its process is gone, no more will come. */
  'service.log': z.strictObject({
    id: serviceIdSchema,
    lines: z.array(logLineSchema),
    ended: z.boolean(),
  }),
  /** How far a piece of work has come; at most ten a second. `total` is null while it is not known. */
  'files.progress': z.strictObject({
    task: taskSchema,
    files: z.strictObject({ done: z.int(), total: z.int().nullable() }),
    bytes: z.strictObject({ done: z.int(), total: z.int().nullable() }),
  }),
} as const;

export type NotificationName = keyof typeof notifications;
export type Notification<N extends NotificationName> = z.output<(typeof notifications)[N]>;
