import { z } from 'zod';
import { logLineSchema } from '../model/log-line.ts';
import { serviceIdSchema } from '../model/service.ts';
import { openEnum } from '../tolerant.ts';
import { activityMethods } from './methods/activity.ts';
import { backupMethods } from './methods/backup.ts';
import { filesMethods, taskSchema } from './methods/files.ts';
import { keysMethods } from './methods/keys.ts';
import { masterMethods } from './methods/master.ts';
import { nodesMethods } from './methods/nodes.ts';
import { planMethods } from './methods/plan.ts';
import { playersMethods } from './methods/players.ts';
import { providerMethods } from './methods/provider.ts';
import { securityMethods } from './methods/security.ts';
import { servicesMethods } from './methods/services.ts';
import { sessionsMethods } from './methods/sessions.ts';
import { softwareMethods } from './methods/software.ts';
import { templatesMethods } from './methods/templates.ts';
import { volumesMethods } from './methods/volumes.ts';

/**
 * Version of the admin API. A minor version of Overworld that changes the contract increases it by one, or by two if
 * an app or a master of the previous version cannot handle the change. The app works with masters whose version
 * differs by at most one (docs/adr/0029).
 */
export const API_VERSION = 5;

/**
 * Returns whether this app works with a master of the given version of the admin API. The version may be at most one
 * older or newer than API_VERSION.
 */
export function isSupported(apiVersion: number): boolean {
  return Math.abs(apiVersion - API_VERSION) <= 1;
}

/** Name of the SSH subsystem that carries the admin API (JSON-RPC 2.0, Content-Length framing). */
export const RPC_SUBSYSTEM = 'overworld';

/** Maximum size of one message in either direction (bytes). */
export const MAX_MESSAGE_BYTES = 8 * 1_048_576;

/**
 * Kinds of data of which clients may hold an outdated copy. After a notification for a topic, the app fetches the
 * displayed data of that topic again.
 */
export const topics = [
  'services',
  'templates',
  'nodes',
  'activity',
  'config',
  'keys',
  'sessions',
  'history',
  'players',
  'way-in',
  'volumes',
  'backup',
] as const;
/** A topic, or `other` for a topic of a newer master that this app does not know. */
export type Topic = (typeof topics)[number] | 'other';

/**
 * The admin API: all methods, each with its lowest role, parameters and result (methods/, one file per subject).
 * Errors are sent as {@link WireError} in `error.data`. The master reads parameters strictly. Clients read results
 * with `tolerant` schemas, because the master may be newer.
 */
export const methods = {
  ...masterMethods,
  ...templatesMethods,
  ...softwareMethods,
  ...servicesMethods,
  ...volumesMethods,
  ...nodesMethods,
  ...providerMethods,
  ...playersMethods,
  ...planMethods,
  ...activityMethods,
  ...filesMethods,
  ...keysMethods,
  ...sessionsMethods,
  ...securityMethods,
  ...backupMethods,
} as const;

export type MethodName = keyof typeof methods;
export type Params<M extends MethodName> = z.input<(typeof methods)[M]['params']>;
export type Result<M extends MethodName> = z.output<(typeof methods)[M]['result']>;

/**
 * The part of the response to `master.info` that stays the same in all versions, so that a client of any version can
 * read the master's version.
 */
export const identitySchema = z.object({ version: z.string(), apiVersion: z.int() });
export type MasterVersion = z.infer<typeof identitySchema>;

/** Notifications that the master sends without a request. Clients ignore those that they do not know. */
export const notifications = {
  /** Data of these topics may have changed; fetch it again. Sent at most ten times a second. */
  stale: z.strictObject({ topics: z.array(openEnum(topics, 'other')) }),
  /** New console lines of a followed service. `ended`: the service's process has exited, and no more lines follow. */
  'service.log': z.strictObject({
    id: serviceIdSchema,
    lines: z.array(logLineSchema),
    ended: z.boolean(),
  }),
  /** Progress of a task, at most ten times a second. `total` is null while the total is unknown. */
  'files.progress': z.strictObject({
    task: taskSchema,
    files: z.strictObject({ done: z.int(), total: z.int().nullable() }),
    bytes: z.strictObject({ done: z.int(), total: z.int().nullable() }),
  }),
} as const;

export type NotificationName = keyof typeof notifications;
export type Notification<N extends NotificationName> = z.output<(typeof notifications)[N]>;
