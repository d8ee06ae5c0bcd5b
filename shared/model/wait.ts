import { z } from 'zod';

/**
 * Why something that is wanted does not happen yet: a requested service that does not start, a service that is not even
 * requested, a node that is not ordered. Closed list; each is shown with its sentence.
 */
export const waitReasons = [
  /** A person took the service or its template out of automation. */
  'HELD',
  /** `maximumOnlineServers` services exist. */
  'CAP_REACHED',
  'SERVER_JAR_MISSING',
  'TEMPLATE_UNREADABLE',
  'FILES_CHANGING',
  'BACKING_OFF',
  'NO_NODE',
  'RAM_FULL',
  /** A node that will have room is on its way, or may be back in a moment. */
  'NODE_ON_ITS_WAY',
  /** Nodes are wanted, but none is ordered while `provider.configure_mode` is on. */
  'CONFIGURE_MODE',
  /** The provider sells nothing that the master configuration allows: other prefix, blocked, deprecated or sold out. */
  'NO_OFFER',
  /** Larger than every node there is or may be ordered. */
  'TOO_BIG',
  /** The provider refused the last orders; they go on later or when a person has helped. */
  'ORDERING_PAUSED',
  'JAVA_MISSING',
  'START_BUDGET',
] as const;
export const waitSchema = z.strictObject({
  reason: z.enum(waitReasons),
  /** One sentence for people: what it waits for and what to do. */
  message: z.string(),
  /** When it is tried again, ms since epoch; null when that depends on somebody. */
  until: z.int().nullable(),
});
export type WaitReason = (typeof waitReasons)[number];
export type Wait = z.infer<typeof waitSchema>;

/** What the rules want of a template and cannot have: the reason is one of {@link waitReasons}. */
export const unmetSchema = z.strictObject({
  /** Services that are wanted and not even requested. */
  missing: z.int(),
  wait: waitSchema,
});
export type Unmet = z.infer<typeof unmetSchema>;
