import { z } from 'zod';
import { serviceIdSchema, serviceNumber } from '#shared/model/service.ts';
import { serviceRecordSchema } from '../service-record.ts';

/** Maximum number of services of a node; it has fewer ports than that. A node that reports more is not trusted. */
export const MAX_SERVICES = 500;

/** Record that `lay_out` writes for a service and `start` reads. */
const nodeRecordSchema = serviceRecordSchema.extend({ cluster: z.string() });

/** Seconds since a node's boot, and the id of the boot. */
const momentSchema = z.object({ boot: z.string().max(64), uptime: z.number() });

/** Term used by systemd. */
const wordSchema = z.string().max(64);

/** What a node reports about one service (tool/observe.py). */
export const nodeServiceSchema = z
  .object({
    id: serviceIdSchema,
    /** Whether a record exists, readable or not. */
    recorded: z.boolean(),
    /** Null if no record exists, or none that this master can read. */
    record: nodeRecordSchema.nullable().catch(null),
    /** Time at which its unit started it; null if it was never started. */
    start: momentSchema.nullable(),
    /** In systemd's terms: SERVICE_RESULT, EXIT_CODE, EXIT_STATUS (systemd.exec(5)). */
    exit: z
      .object({ result: wordSchema, code: wordSchema, status: wordSchema, oomKills: z.int() })
      .nullable(),
    unit: z.object({ active: wordSchema, pid: z.int().nullable(), alive: z.boolean() }),
  })
  // Ignore a record that belongs to another service.
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
  // Check the number before parsing the entries.
  services: z
    .array(z.unknown())
    .max(MAX_SERVICES, `it names more than ${MAX_SERVICES} services`)
    .pipe(z.array(nodeServiceSchema)),
});

export const serviceAnswer = momentSchema.extend({ service: nodeServiceSchema });
export type ServiceAnswer = z.infer<typeof serviceAnswer>;

/** End of a node's journal; null if no service has written yet. */
export const journalEndAnswer = z.object({ cursor: z.string().nullable() });

export const stopAnswer = serviceAnswer.extend(journalEndAnswer.shape);

export const reserveAnswer = z.object({ port: z.int().min(1).max(65_535), known: z.boolean() });

export const wantAnswer = z.object({ missing: z.array(z.int().nonnegative()) });

export const forgetAnswer = z.object({ removed: z.boolean() });

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
