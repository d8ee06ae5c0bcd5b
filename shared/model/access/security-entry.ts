import { z } from 'zod';

const hashSchema = z.string().regex(/^[0-9a-f]{64}$/);

/** An entry of the security log before it is added to the chain of hashes. */
export const entryContentSchema = z.looseObject({
  /** Kind of the entry, such as `key.added` or `login.refused`. */
  kind: z.string(),
  /** Name of an authorized key, `local`, or `overworld` for the master's own rules. */
  actor: z.string(),
  /** What happened, in one sentence. */
  message: z.string(),
  /** Why it happened, or what exactly changed. */
  cause: z.string(),
  /** IP address of the client. Absent if it is unknown. */
  address: z.string().optional(),
  /** The last entry of a log file that was removed because of its age. Only in entries of the kind `log.expired`. */
  removed: z.object({ seq: z.int(), hash: hashSchema }).optional(),
});
export type EntryContent = z.infer<typeof entryContentSchema>;

/**
 * One entry of the security log (docs/security.md#the-security-log). Entries of a newer master may have more fields.
 */
export const securityEntrySchema = entryContentSchema.extend({
  /** Increases by one with each entry. */
  seq: z.int().min(1),
  /** Time of the entry (ms since epoch). */
  at: z.int(),
  /** Hash of the entry before this one. */
  previous: hashSchema,
  /** SHA-256 of the canonical JSON form of this entry without the field `hash`. */
  hash: hashSchema,
});
export type SecurityEntry = z.infer<typeof securityEntrySchema>;

/**
 * Groups of entries, each with the first parts of the kinds that belong to it: in `key.added`, the first part is
 * `key`.
 */
export const securityGroups = {
  logins: ['login'],
  refusals: ['request'],
  keys: ['key', 'session'],
  configuration: ['config', 'token', 'balancer'],
  templates: ['template'],
  nodes: ['node'],
  master: ['master', 'log'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type SecurityGroup = keyof typeof securityGroups;

const securityGroupNames = Object.keys(securityGroups) as [SecurityGroup, ...SecurityGroup[]];
export const securityGroupSchema = z.enum(securityGroupNames);

/** Returns whether an entry of a kind such as `key.added` belongs to a group. */
export function isInGroup(kind: string, group: SecurityGroup): boolean {
  const parts: readonly string[] = securityGroups[group];
  return parts.includes(kind.split('.', 1)[0] ?? '');
}

/** Result of a verification of the security log. */
export const securityReportSchema = z.strictObject({
  /** Number of readable entries. */
  entries: z.int(),
  /** First entry that is still stored, and last entry. Null if there is none. */
  first: z.strictObject({ seq: z.int(), at: z.int() }).nullable(),
  last: z.strictObject({ seq: z.int(), at: z.int(), hash: hashSchema }).nullable(),
  /** The first places where the chain is broken: at most {@link MAX_BREAKS} places. */
  breaks: z.array(
    z.strictObject({
      file: z.string(),
      /** Number of the line in its file, from 1. */
      line: z.int(),
      /** Number of the entry that is or should be at this place. */
      seq: z.int(),
      /** A sentence that says what is wrong and what this means. */
      why: z.string(),
    }),
  ),
  /** Total number of places where the chain is broken. */
  breakCount: z.int(),
});
export type SecurityReport = z.infer<typeof securityReportSchema>;

/** Maximum number of places that a {@link SecurityReport} contains. */
export const MAX_BREAKS = 20;
