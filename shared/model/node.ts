import { z } from 'zod';

/**
 * Node states of docs/specification.md#node-states. The local node is READY from the start. `CORDONED` takes no new services; `DRAINING` neither,
 * and its services are replaced elsewhere and stopped as soon as nobody uses them.
 */
export const nodeStates = [
  'ORDERED',
  'BOOTING',
  'READY',
  'CORDONED',
  'DRAINING',
  'DELETING',
  'LOST',
] as const;
export const nodeStateSchema = z.enum(nodeStates);
export type NodeState = z.infer<typeof nodeStateSchema>;

/** Why a rented node is not given back now. Closed list. */
export const keepReasons = [
  /** Locked by a person. */
  'LOCKED',
  /** Held out of automation by a person. */
  'HELD',
  /** Cordoned by a person: it stays as it is. */
  'CORDONED',
  /** Without it the others would be fuller than `provider.upscaling_at_percent_capacity` allows. */
  'NEEDED',
  /** It is paid for; giving it back earlier would save nothing. */
  'PAID_FOR',
  /** Its services are still there. */
  'OCCUPIED',
  /** `provider.configure_mode` is on: no rule releases it, a person may. */
  'CONFIGURE_MODE',
] as const;
export const keepSchema = z.strictObject({
  reason: z.enum(keepReasons),
  /** One sentence for people, with the numbers. */
  message: z.string(),
});
export type Keep = z.infer<typeof keepSchema>;

/** What a node costs. Every started hour since `since` is paid in full. */
export const rentalSchema = z.strictObject({
  /** The provider's type name, such as `cpx32`. */
  type: z.string(),
  /** When the provider began to count, ms since epoch. */
  since: z.int(),
  /** Net price of an hour, EUR. */
  hourlyPrice: z.number(),
  /** End of the last hour that is paid for, ms since epoch. */
  paidUntil: z.int(),
});
export type Rental = z.infer<typeof rentalSchema>;

/** Starts failed on a node for its own reason, such as a full disk: others are used meanwhile. */
export const nodeBackoffSchema = z.strictObject({
  /** Which templates, and why the last start failed; for people. */
  message: z.string(),
  /** When the last of them is tried there again, ms since epoch. */
  until: z.int(),
});

/** A machine that runs services, as the admin API shows it. RAM in MB (2^20 bytes). */
export const nodeSchema = z.strictObject({
  id: z.string(),
  kind: z.enum(['local', 'hetzner']),
  state: nodeStateSchema,
  /** Since when it is in this state; null when nobody saw it begin. */
  since: z.int().nullable(),
  /** What it is waiting for, or what is wrong with it, one sentence; null when there is nothing to say. */
  note: z.string().nullable(),
  /** The provider's location code; null for a machine of one's own. */
  location: z.string().nullable(),
  address: z.string(),
  ram: z.strictObject({ totalMb: z.int(), allocatedMb: z.int() }),
  services: z.int(),
  /** A person took it out of automation: nothing is placed on it, it is neither drained nor released, and it still counts. */
  held: z.boolean(),
  /** It takes services as ever, and is never drained or released by the rules. */
  locked: z.boolean(),
  /** A person gives it back: as soon as its last service is gone, whatever is paid for. */
  leaving: z.boolean(),
  /** Null for a machine of one's own. */
  rental: rentalSchema.nullable(),
  /** Why it is not given back; null for a machine of one's own. */
  keep: keepSchema.nullable(),
  /** Failed starts that keep services from starting there now; null when there are none. */
  backoff: nodeBackoffSchema.nullable(),
});
export type Node = z.infer<typeof nodeSchema>;
