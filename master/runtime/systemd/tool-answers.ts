import { z } from 'zod';
import { serviceIdSchema, serviceNumber } from '#shared/model/service.ts';
import { serviceRecordSchema } from '../service-record.ts';

/** More services than a node has ports for: what says so is no node of ours any more. */
export const MAX_SERVICES = 500;

/** What `lay_out` writes beside a service, and `start` needs. */
const nodeRecordSchema = serviceRecordSchema.extend({ cluster: z.string() });

/** Seconds since a node's boot, and which boot that is. */
const momentSchema = z.object({ boot: z.string().max(64), uptime: z.number() });

/** One of systemd's words. */
const wordSchema = z.string().max(64);

/** What a node knows of one service (tool/observe.py). */
export const nodeServiceSchema = z
  .object({
    id: serviceIdSchema,
    /** Whether there is a record, readable or not. */
    recorded: z.boolean(),
    /** Null where there is none, or none that this master can read. */
    record: nodeRecordSchema.nullable().catch(null),
    /** When its unit began to run it; null for one that was never started. */
    start: momentSchema.nullable(),
    /** In systemd's words: SERVICE_RESULT, EXIT_CODE, EXIT_STATUS (systemd.exec(5)). */
    exit: z
      .object({ result: wordSchema, code: wordSchema, status: wordSchema, oomKills: z.int() })
      .nullable(),
    unit: z.object({ active: wordSchema, pid: z.int().nullable(), alive: z.boolean() }),
  })
  // A record that speaks of another service is none.
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
  // Counted before they are read.
  services: z
    .array(z.unknown())
    .max(MAX_SERVICES, `it names more than ${MAX_SERVICES} services`)
    .pipe(z.array(nodeServiceSchema)),
});

export const serviceAnswer = momentSchema.extend({ service: nodeServiceSchema });
export type ServiceAnswer = z.infer<typeof serviceAnswer>;

/** Where a node's journal ends; null while no service has written. */
export const journalEndAnswer = z.object({ cursor: z.string().nullable() });

export const stopAnswer = serviceAnswer.extend(journalEndAnswer.shape);

export const reserveAnswer = z.object({ port: z.int().min(1).max(65_535), known: z.boolean() });

export const wantAnswer = z.object({ missing: z.array(z.int().nonnegative()) });

export const forgetAnswer = z.object({ removed: z.boolean() });

/** Nothing to tell. */
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
