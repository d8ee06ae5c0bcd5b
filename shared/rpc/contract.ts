import { z } from 'zod';
import { fieldProblemSchema } from '../config/document.ts';
import { masterConfigSchema } from '../config/master.ts';
import { activityEventSchema, eventKinds } from '../model/event.ts';
import { nodeSchema } from '../model/node.ts';
import { foresightSchema } from '../model/foresight.ts';
import { waitSchema } from '../model/wait.ts';
import { authorizedKeySchema, roleSchema, type Role } from '../model/role.ts';
import { serviceIdSchema, serviceSchema } from '../model/service.ts';
import { templateIdSchema, templateSchema } from '../model/template.ts';

/** Goes up when a method changes incompatibly; the app refuses a master with another one. */
export const API_VERSION = 1;

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

/** Things that can become stale; the app fetches what it shows again (style 45). */
export const topics = ['services', 'templates', 'nodes', 'activity', 'config', 'keys'] as const;
export type Topic = (typeof topics)[number];

/** A configuration document with its state on disk. */
function documentSchema<S extends z.ZodType>(config: S) {
  return z.strictObject({
    config,
    configRevision: z.string(),
    problems: z.array(fieldProblemSchema),
  });
}

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
      platform: z.string(),
      java: z.string().nullable(),
      startedAt: z.int(),
      /** The calling key. */
      you: z.strictObject({ name: z.string(), role: roleSchema }),
    }),
  ),
  /** Ends the master. `stop`: stops all services first; `keep`: leaves them running for the next start to adopt. */
  'master.shutdown': method('owner', z.strictObject({ services: z.enum(['stop', 'keep']) }), done),
  'config.get': method('viewer', nothing, documentSchema(masterConfigSchema)),
  /** The token `••••` (as sent to everybody) means: keep the stored one. */
  'config.update': method(
    'owner',
    z.strictObject({ config: z.unknown(), basedOn: z.string() }),
    documentSchema(masterConfigSchema),
  ),
  'templates.list': method('viewer', nothing, z.array(templateSchema)),
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
  /** `refuse`: fails with TEMPLATE_IN_USE while services exist; `stop`: stops them, then deletes. */
  'templates.delete': method(
    'operator',
    z.strictObject({ id: templateIdSchema, services: z.enum(['refuse', 'stop']) }),
    done,
  ),
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
      network: z.strictObject({ players: z.int(), limit: z.int() }),
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
  'nodes.list': method('viewer', nothing, z.array(nodeSchema)),
  /** Takes a node out of automation, or puts it back. */
  'nodes.hold': method('operator', z.strictObject({ id: z.string(), held: z.boolean() }), done),
  /** A locked node is never released by the rules. */
  'nodes.lock': method('operator', z.strictObject({ id: z.string(), locked: z.boolean() }), done),
  /** `cordon`: no new services. `drain`: also replaces its services elsewhere and stops them once unused. `resume`: takes both back. */
  'nodes.schedule': method(
    'operator',
    z.strictObject({ id: z.string(), to: z.enum(['cordon', 'drain', 'resume']) }),
    done,
  ),
  /**
   * What the rules would do from now on if nobody joined or left: with the documents in use, or with one of them
   * replaced. Nothing is done. A document with mistakes is refused with CONFIG_FAULTY.
   */
  'plan.preview': method(
    'viewer',
    z.strictObject({
      template: z.strictObject({ id: templateIdSchema, config: z.unknown() }).optional(),
      /** The master configuration. */
      master: z.unknown().optional(),
    }),
    foresightSchema,
  ),
  /** Why a node that is wanted is not ordered; null when all is well. */
  'plan.noOrder': method('viewer', nothing, waitSchema.nullable()),
  /** Newest first. `before`: only events with a smaller `seq`. */
  'activity.list': method(
    'viewer',
    z.strictObject({
      before: z.int().optional(),
      limit: z.int().min(1).max(500),
      template: z.string().optional(),
      subject: z.string().optional(),
      kinds: z.array(z.enum(eventKinds)).optional(),
    }),
    z.array(activityEventSchema),
  ),
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
} as const;

export type NotificationName = keyof typeof notifications;
export type Notification<N extends NotificationName> = z.output<(typeof notifications)[N]>;
