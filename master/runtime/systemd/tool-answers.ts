import { z } from 'zod';
import {
  isFileName,
  MAX_LISTED_FILES,
  MAX_PIECE_BYTES,
  serviceFileSchema,
  serviceFilesSchema,
} from '#shared/model/service-files.ts';
import { serviceIdSchema, serviceNumber } from '#shared/model/service.ts';
import { serviceRecordSchema } from '../service-record.ts';
import { problemSchema } from './node-tool.ts';
import { PAUSE_ANSWERS } from '../saving-pause.ts';

/**
 * Maximum number of services of a node. A node has fewer ports than that, so a node that reports more is not
 * trusted.
 */
export const MAX_SERVICES = 500;

/** Maximum length of a reason that a node gives for one service (characters). */
const MAX_WHY_LENGTH = 500;

/** Record that `lay_out` writes for a service and `start` reads. */
const nodeRecordSchema = serviceRecordSchema.extend({ cluster: z.string() });

/** Seconds since a node's boot, and the id of the boot. */
const momentSchema = z.object({ boot: z.string().max(64), uptime: z.number() });

/** A short word from systemd, such as the result of a unit. */
const wordSchema = z.string().max(64);

/** What a node reports about one service (tool/observe.py). */
export const nodeServiceSchema = z
  .object({
    id: serviceIdSchema,
    /** Whether the service has a record, readable or not. */
    recorded: z.boolean(),
    /** Record of the service; null if the service has no record, or one that this master cannot read. */
    record: nodeRecordSchema.nullable().catch(null),
    /** Time at which the service's unit started it; null if it was never started. */
    start: momentSchema.nullable(),
    /** How the service exited, in systemd's terms: SERVICE_RESULT, EXIT_CODE, EXIT_STATUS (systemd.exec(5)). */
    exit: z
      .object({ result: wordSchema, code: wordSchema, status: wordSchema, oomKills: z.int() })
      .nullable(),
    unit: z.object({ active: wordSchema, pid: z.int().nullable(), alive: z.boolean() }),
  })
  // Ignores a record that belongs to another service.
  .transform((service) => (isRecordOf(service) ? service : { ...service, record: null }));
export type NodeService = z.infer<typeof nodeServiceSchema>;

function isRecordOf({
  id,
  record,
}: {
  id: string;
  record: z.infer<typeof nodeRecordSchema> | null;
}): boolean {
  return record === null || (record.spec.id === id && id === `${record.spec.template}-${serviceNumber(id)}`);
}

export const observeAnswer = momentSchema.extend({
  // The number of entries is checked before they are parsed.
  services: z
    .array(z.unknown())
    .max(MAX_SERVICES, `it names more than ${MAX_SERVICES} services`)
    .pipe(z.array(nodeServiceSchema)),
});

export const serviceAnswer = momentSchema.extend({ service: nodeServiceSchema });
export type ServiceAnswer = z.infer<typeof serviceAnswer>;

/** Last position in a node's journal; null if no service has written yet. */
export const journalEndAnswer = z.object({ cursor: z.string().nullable() });

export const stopAnswer = serviceAnswer.extend(journalEndAnswer.shape);

export const reserveAnswer = z.object({ port: z.int().min(1).max(65_535), known: z.boolean() });

export const wantAnswer = z.object({ missing: z.array(z.int().nonnegative()) });

/**
 * Result of `refresh_hand_over`: services whose files were replaced, and services whose files could not be replaced.
 */
export const handOverAnswer = z.object({
  written: z.array(serviceIdSchema).max(MAX_SERVICES),
  failed: z.array(z.object({ id: serviceIdSchema, why: z.string().max(MAX_WHY_LENGTH) })).max(MAX_SERVICES),
});

/**
 * Java runtimes of a node (tool/machine/java.py), the default first, and the node's architecture as named by
 * `uname -m`.
 */
export const javaListAnswer = z.object({
  runtimes: z
    .array(z.object({ path: z.string().startsWith('/').max(256), version: wordSchema.nullable() }))
    .max(100),
  architecture: wordSchema,
});
export type JavaList = z.infer<typeof javaListAnswer>;

export const javaPackageAnswer = z.object({ installed: z.boolean(), why: z.string().max(MAX_WHY_LENGTH) });

/**
 * Answer to the request for a snapshot: whether the service has files to keep, how its server was paused, and why a
 * snapshot during a pause failed.
 */
export const takeAnswer = z.object({
  found: z.boolean(),
  pause: z
    .object({
      answer: z.enum(PAUSE_ANSWERS),
      flushed: z.boolean(),
      resumed: z.boolean(),
      ms: z.number().nonnegative(),
    })
    .nullable(),
  problem: problemSchema.nullable(),
});

export const forgetAnswer = z.object({ removed: z.boolean() });

/** A page of a folder. The names come from a service, so each must be the name of one file and nothing else. */
export const listFilesAnswer = serviceFilesSchema.extend({
  entries: z.array(serviceFileSchema.extend({ name: z.string().refine(isFileName) })).max(MAX_LISTED_FILES),
});

/** A file or folder whose name the master has sent. */
export const describeFileAnswer = serviceFileSchema.omit({ name: true });

/** Maximum length of {@link MAX_PIECE_BYTES} bytes in Base64 (characters). */
const MAX_BASE64 = 4 * Math.ceil(MAX_PIECE_BYTES / 3);

export const readFileAnswer = z.object({
  base64: z.base64().max(MAX_BASE64),
  bytes: z.int().nonnegative(),
  changedAt: z.int(),
});

/** Answer without content. */
export const doneAnswer = z.object({});

export const factsAnswer = z.object({
  java: z.object({ path: z.string(), version: z.string().nullable() }).nullable(),
  python: z.string(),
  systemd: z.string(),
  boot: z.string(),
  uptime: z.number(),
  clock: z.int(),
  diskBytes: z.int(),
  diskFreeBytes: z.int(),
});
