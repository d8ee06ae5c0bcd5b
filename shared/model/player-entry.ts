import { z } from 'zod';
import { wireErrorSchema } from '../errors/wire.ts';
import { openEnum } from '../tolerant.ts';
import { serviceIdSchema } from './service-id.ts';
import { templateIdSchema } from './template.ts';

const addressSchema = z.strictObject({ host: z.string(), port: z.int() });

/** State of one proxy in HAProxy. */
export const balancerEntrySchema = z.strictObject({
  service: serviceIdSchema,
  /**
   * `open`: takes new players. `draining`: takes no new players, but keeps its players. `unhealthy`: its status pings
   * fail.
   */
  state: z.enum(['open', 'draining', 'unhealthy']),
  /** Number of current connections to this proxy through HAProxy. */
  connections: z.int(),
});
export type BalancerEntry = z.infer<typeof balancerEntrySchema>;

/**
 * State of the load balancer (docs/specification.md#balancer). `absent`: this machine has no load balancer.
 * `foreign`: its configuration has no section of Overworld, so Overworld does not change the configuration.
 * `working`: there is no known problem. `trouble`: there is a problem, which `error` describes.
 */
export const balancerSchema = z.strictObject({
  state: z.enum(['absent', 'foreign', 'working', 'trouble']),
  configPath: z.string(),
  /** Addresses at which the load balancer accepts players. */
  addresses: z.array(addressSchema),
  entries: z.array(balancerEntrySchema),
  error: wireErrorSchema.nullable(),
});
export type BalancerView = z.infer<typeof balancerSchema>;

/** Reasons why players cannot join the network, or have no server to join. */
export const joinProblemReasons = [
  'NO_PROXY_TEMPLATE',
  /** Proxy templates exist, but none of their services takes new players. */
  'NO_PROXY',
  /** A proxy takes players, but the load balancer or the firewall in front of the proxy lets no players through. */
  'ENTRY_CLOSED',
  /** Proxies take players, but probably reject them, because their plugins have never connected to the master. */
  'PROXIES_UNLINKED',
  /** `max_online_players` is reached. */
  'NETWORK_FULL',
  'NO_FALLBACK_TEMPLATE',
  'NO_FALLBACK',
  'FALLBACKS_FULL',
] as const;
export type JoinProblemReason = (typeof joinProblemReasons)[number];

/** What an admin can do about a join problem. Each fix is a button in the window. */
export const joinFixes = [
  'create-proxy',
  'create-fallback',
  'make-fallback',
  'start-service',
  'raise-maximum',
  'resume',
  'files',
  'services',
  'raise-limit',
  'open-firewall',
  'player-entry',
] as const;
export type JoinFix = (typeof joinFixes)[number];

export const joinProblemSchema = z.strictObject({
  reason: openEnum(joinProblemReasons, 'OTHER'),
  /** Sentences that say what players notice, why, and what to do. */
  message: z.string(),
  /** Null if the problem resolves by itself, because a service is starting. */
  fix: openEnum(joinFixes, 'player-entry').nullable(),
  /** The template that the fix applies to. Null if there is none. */
  template: templateIdSchema.nullable(),
});
export type JoinProblem = z.infer<typeof joinProblemSchema>;

/** How players join, and how plugins reach the master. */
export const playerEntrySchema = z.strictObject({
  balancer: balancerSchema,
  /**
   * Join addresses: the addresses of the load balancer or, without a load balancer, the address of the first proxy.
   * Empty without proxies.
   */
  join: z.array(addressSchema.extend({ via: z.union([z.literal('balancer'), serviceIdSchema]) })),
  /** Problems that keep players from joining or leave them without a server. Empty if there are none. */
  problems: z.array(joinProblemSchema),
  /** The plugin link (docs/specification.md#communication). */
  link: z.strictObject({
    listening: addressSchema.nullable(),
    error: wireErrorSchema.nullable(),
    plugins: z.int(),
  }),
});
export type PlayerEntry = z.infer<typeof playerEntrySchema>;
