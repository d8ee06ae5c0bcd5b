import { z } from 'zod';
import { logLineSchema } from '../../model/log-line.ts';
import { serviceIdSchema, serviceSchema } from '../../model/service.ts';
import { templateIdSchema } from '../../model/template.ts';
import { done, method } from './method.ts';
import { serviceFilesMethods } from './service-files.ts';

/** Services, their consoles, logs and files. */
export const servicesMethods = {
  ...serviceFilesMethods,
  /**
   * Returns the services that have changed since a given revision, so that 5,000 rows need not be sent each time. If
   * `complete` is true, the list contains all services, regardless of the given revision.
   */
  'services.list': method(
    'viewer',
    z.strictObject({ since: z.int().optional() }),
    z.strictObject({
      revision: z.int(),
      complete: z.boolean(),
      services: z.array(serviceSchema),
      removed: z.array(serviceIdSchema),
      /**
       * Number of players on the network, and `max_online_players`. `players` is null while the master does not know
       * yet which players are online, as right after its restart.
       */
      network: z.strictObject({ players: z.int().nullable(), limit: z.int() }),
    }),
  ),
  /**
   * Pauses or resumes the service's automation. If a paused service is stopped, it stays in the list as REQUESTED and
   * counts towards the minimum.
   */
  'services.hold': method('operator', z.strictObject({ id: serviceIdSchema, held: z.boolean() }), done),
  /** Returns the log of the last failed attempt, oldest line first, at most 200 lines. Empty if no attempt failed. */
  'services.failureLog': method('viewer', z.strictObject({ id: serviceIdSchema }), z.array(z.string())),
  /** Requests one more service. Fails with CAP_REACHED at the template's maximum. */
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
   * Drains a service: moves its players to fallbacks with room, and stops the service once it is empty, at the latest
   * after `withinMs` (null: no deadline). The service accepts no new players. Players on a proxy stay until they
   * leave. The drain continues when the caller disconnects or the master restarts. Also succeeds if the service is
   * already stopping.
   */
  'services.drain': method(
    'operator',
    z.strictObject({ id: serviceIdSchema, withinMs: z.int().min(0).max(86_400_000).nullable() }),
    done,
  ),
  /** Cancels a drain, so that the service accepts players again. Also succeeds if the service is not draining. */
  'services.cancelDrain': method('operator', z.strictObject({ id: serviceIdSchema }), done),
  /**
   * Stops the service and starts it again under the same id, from the newest files and values. `kill` has the same
   * effect as in `services.stop`.
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
   * Returns the last lines of the service's console. Later lines arrive as `service.log` until `services.unfollowLog`
   * is called or the connection closes.
   */
  'services.followLog': method(
    'viewer',
    z.strictObject({ id: serviceIdSchema, lines: z.int().min(0).max(5000) }),
    z.array(logLineSchema),
  ),
  'services.unfollowLog': method('viewer', z.strictObject({ id: serviceIdSchema }), done),
  /**
   * Returns stored lines of the service's console, beginning with line `from`. `next` is the number of the line to
   * continue with; null at the end. Also works for services that have exited.
   */
  'services.readLog': method(
    'viewer',
    z.strictObject({ id: serviceIdSchema, from: z.int().min(0), limit: z.int().min(1).max(5000) }),
    z.strictObject({ lines: z.array(logLineSchema), next: z.int().nullable() }),
  ),
  /**
   * Returns the newest stored lines that contain a text, at most `limit`, newest last. `more`: there are older
   * matches.
   */
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
} as const;
