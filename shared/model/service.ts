import { z } from 'zod';
import { wireErrorSchema } from '../errors/wire.ts';
import { openEnum } from '../tolerant.ts';
import { pluginSchema } from './player.ts';
import { serviceIdSchema, type ServiceId } from './service-id.ts';
import { templateIdSchema } from './template.ts';
import { waitSchema } from './wait.ts';

/**
 * Service states of docs/specification.md#service-states. `RUNNING`: players can join, and the service is empty.
 * `IN_USE`: at least one player is on the service, or a plugin keeps it in use. A service that is being stopped keeps
 * its state, and its field `stopping` is set.
 */
export const serviceStates = ['REQUESTED', 'PREPARING', 'STARTING', 'RUNNING', 'IN_USE'] as const;
export type ServiceState = (typeof serviceStates)[number];

export { serviceIdSchema, type ServiceId };

/** The last failed attempt of a service to start or run. */
export const failureSchema = z.strictObject({
  at: z.int(),
  error: wireErrorSchema,
  /** Number of consecutive failed attempts. */
  attempts: z.int(),
});

/** A service as the admin API returns it. Times are ms since epoch. */
export const serviceSchema = z.strictObject({
  id: serviceIdSchema,
  template: templateIdSchema,
  /** `UNKNOWN` in an app that does not know the state, because the master is newer. */
  state: openEnum(serviceStates, 'UNKNOWN'),
  /** Start of the current state. */
  since: z.int(),
  requestedAt: z.int(),
  /** Why the service exists: the rule or the person that requested it. */
  cause: z.string(),
  /**
   * Null unless the service is being stopped. `restart`: after it has stopped, the service returns to REQUESTED under
   * the same id, with the newest files and values.
   */
  stopping: z.strictObject({ since: z.int(), cause: z.string(), restart: z.boolean() }).nullable(),
  /**
   * Null unless the service is being replaced. The service is stopped once its replacement is ready and no player is
   * left on the service.
   */
  retiring: z.strictObject({ since: z.int(), cause: z.string() }).nullable(),
  /**
   * Null unless the service is being drained. A draining service accepts no new players, and its players are moved to
   * fallbacks. It stops once it is empty, or at `until` (ms since epoch; null: no deadline).
   */
  draining: z.strictObject({ since: z.int(), cause: z.string(), until: z.int().nullable() }).nullable(),
  /**
   * Changes that take effect at the service's next start: names of template fields
   * (docs/specification.md#template-configuration), and `files`. Empty while the service is up to date or has not
   * been started.
   */
  outdated: z.array(z.string()),
  waiting: waitSchema.nullable(),
  /**
   * Whether a person paused the service's automation. If so, no rule starts or stops the service, but it still counts
   * as a service.
   */
  held: z.boolean(),
  /**
   * The last failed attempt. Null if no attempt has failed, or if the service has been up for a minute since the
   * failure.
   */
  failure: failureSchema.nullable(),
  node: z.string().nullable(),
  address: z.strictObject({ host: z.string(), port: z.int() }).nullable(),
  /**
   * Number of players, and number of slots that the service reports. If it reports no limit, the number of slots with
   * which it was started. Older masters then send -1.
   */
  players: z.strictObject({ online: z.int(), max: z.int() }),
  /**
   * RAM that is allocated for the service on its node: the value of `maxJvmMemory` at the service's start, plus 375
   * (MB = 2^20 bytes).
   */
  ramMb: z.int(),
  /** Template revision from which the service was started. Null while the service has no node. */
  revision: z.string().nullable(),
  /** Time at which the service became unused. Null unless the service is RUNNING. */
  unusedSince: z.int().nullable(),
  /** Whether the service's process runs, but has not answered status pings for too long. */
  unresponsive: z.boolean(),
  pid: z.int().nullable(),
  /** State of Overworld's plugin in the service. Null until the plugin has linked. */
  plugin: pluginSchema.nullable(),
});
export type Service = z.infer<typeof serviceSchema>;

/** Returns whether the service is RUNNING or IN_USE, so that players can join it. */
export function isUp(service: Pick<Service, 'state'>): boolean {
  return service.state === 'RUNNING' || service.state === 'IN_USE';
}

/**
 * Returns whether the service has or may have a process. If so, its console takes commands, and the service can be
 * restarted.
 */
export function hasProcess(service: Pick<Service, 'state'>): boolean {
  return service.state === 'STARTING' || isUp(service);
}

/**
 * Returns the id of the template's service number `n`.
 *
 * Example: `lobby`, 7 → `lobby-7`.
 */
export function serviceIdOf(template: string, n: number): ServiceId {
  return `${template}-${n}`;
}

/**
 * Returns the number in a service id.
 *
 * Example: `lobby-7` → 7.
 */
export function serviceNumber(id: ServiceId): number {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}
