import { z } from 'zod';
import { openEnum } from '../tolerant.ts';

/**
 * Reasons why a required action is delayed: a requested service does not start, a required service is not even
 * requested, a service is not replaced, or a node is not ordered. Each reason is shown together with a sentence.
 */
export const waitReasons = [
  /** A person paused the automation of the service or its template. */
  'HELD',
  /** The number of existing services has reached `maximumOnlineServers`. */
  'CAP_REACHED',
  'SERVER_JAR_MISSING',
  'TEMPLATE_UNREADABLE',
  'FILES_CHANGING',
  'BACKING_OFF',
  'NO_NODE',
  'RAM_FULL',
  /** A node with room for the service is starting, or cannot be reached at the moment. */
  'NODE_ON_ITS_WAY',
  /** Nodes are required, but none is ordered while `provider.configure_mode` is on. */
  'CONFIGURE_MODE',
  /**
   * The provider offers no server type that the master configuration allows: the types have another prefix, or are
   * blocked, deprecated or sold out.
   */
  'NO_OFFER',
  /** The service is larger than every existing node and larger than every node that may be ordered. */
  'TOO_BIG',
  /** The provider rejected the last orders. Ordering resumes later, or after a person has solved the problem. */
  'ORDERING_PAUSED',
  /** Another node would exceed a limit for nodes or costs in the master configuration (`limits`). */
  'BUDGET_REACHED',
  'JAVA_MISSING',
  'START_BUDGET',
  /** The newest data of the service's volume is on another node, which has not handed the data over. */
  'VOLUME_ATTACHED',
  /** A file of the service's volume on the master's disk cannot be read. */
  'VOLUME_DAMAGED',
  /**
   * Data of a service cannot be saved, so a rolling restart, a drain of a node or a deletion does not stop services.
   */
  'VOLUME_UNSAVABLE',
] as const;
export const waitSchema = z.strictObject({
  /** `OTHER` in an app that does not know the reason, because the master is newer. */
  reason: openEnum(waitReasons, 'OTHER'),
  /** One sentence for people: what the action waits for and what to do. */
  message: z.string(),
  /** Time of the next attempt (ms since epoch). Null if a person must act, or if an attempt is in progress. */
  until: z.int().nullable(),
});
export type WaitReason = (typeof waitReasons)[number];
export type Wait = z.infer<typeof waitSchema>;

/**
 * Reason why required services of a template cannot be requested, or why services of the template cannot be replaced.
 */
export const unmetSchema = z.strictObject({
  /**
   * Number of required services that are not even requested. 0 if the only problem is that services cannot be
   * replaced.
   */
  missing: z.int(),
  wait: waitSchema,
});
export type Unmet = z.infer<typeof unmetSchema>;
