import { z } from 'zod';
import { openEnum } from '../tolerant.ts';

/**
 * Node states of docs/specification.md#node-states. The local node is READY from the start, unless it has to be set
 * up first. A `CORDONED` node takes no new services. A `DRAINING` node takes no new services either: its services are
 * replaced on other nodes, and stop once they are unused.
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
export type NodeState = (typeof nodeStates)[number];

/** Reasons why a cloud node is not released now. */
export const keepReasons = [
  /** A person has protected the node from release. */
  'LOCKED',
  /** A person has paused the node's automation. */
  'HELD',
  /** A person has stopped new services on the node. The rules therefore neither drain nor release it. */
  'CORDONED',
  /** Without this node, the RAM used on the other nodes would exceed `provider.upscaling_at_percent_capacity`. */
  'NEEDED',
  /** The current hour is already paid, so an earlier release would save nothing. */
  'PAID_FOR',
  /** The node still has services. */
  'OCCUPIED',
  /** `provider.configure_mode` is on: no rule releases the node, but a person can. */
  'CONFIGURE_MODE',
  /** The node has data of volumes that is not saved. */
  'UNSAVED',
] as const;
export const keepSchema = z.strictObject({
  reason: openEnum(keepReasons, 'OTHER'),
  /** One sentence for people, with the numbers. */
  message: z.string(),
});
export type Keep = z.infer<typeof keepSchema>;

/** Id of the node that is the master's own machine. */
export const LOCAL_NODE = 'local';

/** Cost of a cloud node. Every started hour since `since` is charged in full. */
export const rentalSchema = z.strictObject({
  /** Name of the server type at the provider, such as `cpx32`. */
  type: z.string(),
  /** Start of the provider's billing (ms since epoch). */
  since: z.int(),
  /** Price per hour (EUR, without VAT). */
  hourlyPrice: z.number(),
  /** End of the last paid hour (ms since epoch). */
  paidUntil: z.int(),
});
export type Rental = z.infer<typeof rentalSchema>;

/**
 * Pause of service starts on a node. It follows starts that failed because of the node, for example because its disk
 * is full. Meanwhile, services start on other nodes.
 */
export const nodeBackoffSchema = z.strictObject({
  /** Sentence for people that names the affected templates and why the last start failed. */
  message: z.string(),
  /** Time at which services of the last affected template are started on the node again (ms since epoch). */
  until: z.int(),
});

/** A machine that runs services, as the admin API returns it. RAM in MB (2^20 bytes). */
export const nodeSchema = z.strictObject({
  id: z.string(),
  kind: openEnum(['local', 'hetzner'], 'other'),
  /**
   * Whether services run as the user of the master, without isolation. Absent in responses of older masters. With an
   * older master, services on the master's own machine run as this user.
   */
  sharesUser: z.boolean().optional(),
  /** `UNKNOWN` in an app that does not know the state, because the master is newer. */
  state: openEnum(nodeStates, 'UNKNOWN'),
  /** Start of the current state (ms since epoch). Null if the master did not observe when the state began. */
  since: z.int().nullable(),
  /**
   * Sentence that says what the node waits for, or what its problem is. Null if it neither waits nor has a problem.
   */
  note: z.string().nullable(),
  /** Location code of the provider. Null for a machine that the provider does not run. */
  location: z.string().nullable(),
  address: z.string(),
  ram: z.strictObject({ totalMb: z.int(), allocatedMb: z.int() }),
  services: z.int(),
  /**
   * Whether a person paused the node's automation. If so, the rules place no services on the node and neither drain
   * nor release it, but the node's RAM still counts.
   */
  held: z.boolean(),
  /**
   * Whether the node is protected from release. The node still takes services, but the rules never drain or release
   * it.
   */
  locked: z.boolean(),
  /**
   * Whether a person has requested the node's release. The node is deleted once its last service is removed, even if
   * the current hour is already paid.
   */
  leaving: z.boolean(),
  /** The node's cost. Null for a machine that the provider does not run. */
  rental: rentalSchema.nullable(),
  /** Why the node is not released now. Null if it is being released, or if the provider does not run the machine. */
  keep: keepSchema.nullable(),
  /** Pause of service starts on this node after failed starts. Null if there is none. */
  backoff: nodeBackoffSchema.nullable(),
});
export type Node = z.infer<typeof nodeSchema>;
