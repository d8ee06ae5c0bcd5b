import { z } from 'zod';

/**
 * Node states of docs/specification.md#node-states. The local node is READY from the start. A `CORDONED` node takes
 * no new services. A `DRAINING` node takes none either; its services are replaced on other nodes and stopped once
 * they are unused.
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

/** Why a cloud node is not released now. Closed list. */
export const keepReasons = [
  /** A person protects it from release. */
  'LOCKED',
  /** A person paused its automation. */
  'HELD',
  /** A person stopped new services on it; automation leaves it unchanged. */
  'CORDONED',
  /** Without it the other nodes would exceed `provider.upscaling_at_percent_capacity`. */
  'NEEDED',
  /** The current hour is paid for; an earlier release would save nothing. */
  'PAID_FOR',
  /** It still has services. */
  'OCCUPIED',
  /** `provider.configure_mode` is on: no rule releases the node, but a person can. */
  'CONFIGURE_MODE',
] as const;
export const keepSchema = z.strictObject({
  reason: z.enum(keepReasons),
  /** One sentence for people, with the numbers. */
  message: z.string(),
});
export type Keep = z.infer<typeof keepSchema>;

/** Cost of a cloud node. Every started hour since `since` is paid in full. */
export const rentalSchema = z.strictObject({
  /** Type name of the provider, such as `cpx32`. */
  type: z.string(),
  /** Start of the provider's billing (ms since epoch). */
  since: z.int(),
  /** Net price per hour (EUR). */
  hourlyPrice: z.number(),
  /** End of the last paid hour (ms since epoch). */
  paidUntil: z.int(),
});
export type Rental = z.infer<typeof rentalSchema>;

/**
 * Pause of starts on a node after starts failed there for a reason of the node, such as a full disk. Other nodes
 * are used meanwhile.
 */
export const nodeBackoffSchema = z.strictObject({
  /** Affected templates, and why the last start failed. For people. */
  message: z.string(),
  /** When the last affected template is tried there again (ms since epoch). */
  until: z.int(),
});

/** A machine that runs services, as the admin API returns it. RAM in MB (2^20 bytes). */
export const nodeSchema = z.strictObject({
  id: z.string(),
  kind: z.enum(['local', 'hetzner']),
  state: nodeStateSchema,
  /** Start of the current state (ms since epoch). Null if it was not observed. */
  since: z.int().nullable(),
  /** Sentence that names what the node waits for, or its problem. Null if neither applies. */
  note: z.string().nullable(),
  /** Location code of the provider. Null for a machine that the provider does not run. */
  location: z.string().nullable(),
  address: z.string(),
  ram: z.strictObject({ totalMb: z.int(), allocatedMb: z.int() }),
  services: z.int(),
  /** Whether a person paused its automation: it gets no services, is neither drained nor released, and still counts. */
  held: z.boolean(),
  /** Whether it is protected from release: it takes services as usual, and the rules never drain or release it. */
  locked: z.boolean(),
  /** Whether a person releases it: it is deleted once its last service is removed, even if the hour is paid for. */
  leaving: z.boolean(),
  /** Null for a machine that the provider does not run. */
  rental: rentalSchema.nullable(),
  /** Why it is not released. Null for a machine that the provider does not run. */
  keep: keepSchema.nullable(),
  /** Pause of service starts on this node after failed starts. Null if there is none. */
  backoff: nodeBackoffSchema.nullable(),
});
export type Node = z.infer<typeof nodeSchema>;
