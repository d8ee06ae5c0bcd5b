import { z } from 'zod';
import { wireErrorSchema } from '../errors/wire.ts';
import { serviceIdSchema } from './service-id.ts';

const addressSchema = z.strictObject({ host: z.string(), port: z.int() });

/** What HAProxy makes of one proxy at this moment. */
export const balancerEntrySchema = z.strictObject({
  service: serviceIdSchema,
  /** `open`: takes new players; `draining`: keeps those it has; `unhealthy`: its status pings fail. */
  state: z.enum(['open', 'draining', 'unhealthy']),
  /** Connections through it now. */
  connections: z.int(),
});
export type BalancerEntry = z.infer<typeof balancerEntrySchema>;

/**
 * The load balancer (spec 2.2 `balancer`). `absent`: there is none on this machine; `foreign`: its configuration has no
 * section of ours, so it is left alone; `working`; `trouble`: see `error`.
 */
export const balancerSchema = z.strictObject({
  state: z.enum(['absent', 'foreign', 'working', 'trouble']),
  configPath: z.string(),
  /** Where it takes players. */
  addresses: z.array(addressSchema),
  entries: z.array(balancerEntrySchema),
  error: wireErrorSchema.nullable(),
});
export type BalancerView = z.infer<typeof balancerSchema>;

/** How players come in, and how plugins reach the master. */
export const wayInSchema = z.strictObject({
  balancer: balancerSchema,
  /** Addresses to join: the balancer's; without one the first proxy's; without proxies empty. */
  join: z.array(addressSchema.extend({ via: z.union([z.literal('balancer'), serviceIdSchema]) })),
  /** The plugin link (spec 2.2 `communication`). */
  link: z.strictObject({
    listening: addressSchema.nullable(),
    error: wireErrorSchema.nullable(),
    plugins: z.int(),
  }),
});
export type WayIn = z.infer<typeof wayInSchema>;
