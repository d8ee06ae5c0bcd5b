import { z } from 'zod';

/**
 * Why a required action is delayed: a requested service does not start, a service is not even requested, or a node
 * is not ordered. Closed list; each reason is shown with its sentence.
 */
export const waitReasons = [
  /** A person paused the automation of the service or its template. */
  'HELD',
  /** `maximumOnlineServers` services exist. */
  'CAP_REACHED',
  'SERVER_JAR_MISSING',
  'TEMPLATE_UNREADABLE',
  'FILES_CHANGING',
  'BACKING_OFF',
  'NO_NODE',
  'RAM_FULL',
  /** A node that will have room is starting, or may return shortly. */
  'NODE_ON_ITS_WAY',
  /** Nodes are required, but none is ordered while `provider.configure_mode` is on. */
  'CONFIGURE_MODE',
  /**
   * The provider offers no type that the master configuration allows: other prefix, blocked, deprecated or sold
   * out.
   */
  'NO_OFFER',
  /** Larger than every existing node and every node that may be ordered. */
  'TOO_BIG',
  /** The provider rejected the last orders. They resume later, or after a person has solved the problem. */
  'ORDERING_PAUSED',
  'JAVA_MISSING',
  'START_BUDGET',
] as const;
export const waitSchema = z.strictObject({
  reason: z.enum(waitReasons),
  /** One sentence for people: what it waits for and what to do. */
  message: z.string(),
  /** Time of the next attempt (ms since epoch). Null if the next attempt depends on a person. */
  until: z.int().nullable(),
});
export type WaitReason = (typeof waitReasons)[number];
export type Wait = z.infer<typeof waitSchema>;

/** What the rules require of a template and cannot have. The reason is one of {@link waitReasons}. */
export const unmetSchema = z.strictObject({
  /** Number of required services that are not even requested. */
  missing: z.int(),
  wait: waitSchema,
});
export type Unmet = z.infer<typeof unmetSchema>;
