import { z } from 'zod';
import { wireErrorSchema } from '../errors/wire.ts';
import { pluginSchema } from './player.ts';
import { serviceIdSchema, type ServiceId } from './service-id.ts';
import { templateIdSchema } from './template.ts';
import { waitSchema } from './wait.ts';

/**
 * Service states of docs/specification.md#service-states. `RUNNING` = joinable and empty, `IN_USE` = at least one player or declared in use.
 * One that is being stopped keeps its state and carries `stopping`.
 */
export const serviceStates = ['REQUESTED', 'PREPARING', 'STARTING', 'RUNNING', 'IN_USE'] as const;
export const serviceStateSchema = z.enum(serviceStates);
export type ServiceState = z.infer<typeof serviceStateSchema>;

export { serviceIdSchema, type ServiceId };

/** The last failed attempt of a service. */
export const failureSchema = z.strictObject({
  at: z.int(),
  error: wireErrorSchema,
  /** Failed attempts in a row. */
  attempts: z.int(),
});

/** A service as the admin API shows it. Times are ms since epoch. */
export const serviceSchema = z.strictObject({
  id: serviceIdSchema,
  template: templateIdSchema,
  state: serviceStateSchema,
  /** Since when it is in this state. */
  since: z.int(),
  requestedAt: z.int(),
  /** Why it exists: the rule or the person that asked for it. */
  cause: z.string(),
  /** `restart`: it comes back under its id, REQUESTED again, from the newest files and values. */
  stopping: z.strictObject({ since: z.int(), cause: z.string(), restart: z.boolean() }).nullable(),
  /** Being replaced: once another one is ready for it and nobody uses it, it is stopped. */
  retiring: z.strictObject({ since: z.int(), cause: z.string() }).nullable(),
  /**
   * Takes no new players; those on it are moved to fallbacks, and it stops once it is empty, or at `until` (ms since epoch;
   * null: it waits as long as players are on it).
   */
  draining: z.strictObject({ since: z.int(), cause: z.string(), until: z.int().nullable() }).nullable(),
  /**
   * What has changed since its start and takes effect at the next one: names of template fields (docs/specification.md#template-configuration), and `files`.
   * Empty while it is up to date, or has not been started.
   */
  outdated: z.array(z.string()),
  waiting: waitSchema.nullable(),
  /** A person took it out of automation: no rule starts or stops it, and it still counts. */
  held: z.boolean(),
  /** Why it failed last; null once it has been up for a minute since. */
  failure: failureSchema.nullable(),
  node: z.string().nullable(),
  address: z.strictObject({ host: z.string(), port: z.int() }).nullable(),
  players: z.strictObject({ online: z.int(), max: z.int() }),
  /** Allocated on its node: maxJvmMemory + 375 MB at its start. */
  ramMb: z.int(),
  /** Template revision it was started from. */
  revision: z.string().nullable(),
  /** Since when nobody uses it (RUNNING only). */
  unusedSince: z.int().nullable(),
  /** True while its process lives but answers no status ping. */
  unresponsive: z.boolean(),
  pid: z.int().nullable(),
  /** Overworld's plugin in it; null while it has not been heard. */
  plugin: pluginSchema.nullable(),
});
export type Service = z.infer<typeof serviceSchema>;

/** Joinable: a process that answers. */
export function isUp(service: Pick<Service, 'state'>): boolean {
  return service.state === 'RUNNING' || service.state === 'IN_USE';
}

/** Has a process, or may have one: its console takes commands and a stop has something to end. */
export function hasProcess(service: Pick<Service, 'state'>): boolean {
  return service.state === 'STARTING' || isUp(service);
}

/** The id of a template's service number `n`. */
export function serviceIdOf(template: string, n: number): ServiceId {
  return `${template}-${n}`;
}

/** The number in a service id: `lobby-7` → 7. */
export function serviceNumber(id: ServiceId): number {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}
