import { z } from 'zod';
import { serviceRecordSchema } from '../service-record.ts';

/** What `lay_out` writes beside a service, and `start` needs. */
const nodeRecordSchema = serviceRecordSchema.extend({ cluster: z.string() });

/** Seconds since a node's boot, and which boot that is. */
const momentSchema = z.object({ boot: z.string(), uptime: z.number() });

/** What a node knows of one service (tool/observe.py). */
export const nodeServiceSchema = z.object({
  id: z.string(),
  /** Whether there is a record, readable or not. */
  recorded: z.boolean(),
  /** Null where there is none, or none that this master can read. */
  record: nodeRecordSchema.nullable().catch(null),
  /** When its unit began to run it; null for one that was never started. */
  start: momentSchema.nullable(),
  /** In systemd's words: SERVICE_RESULT, EXIT_CODE, EXIT_STATUS (systemd.exec(5)). */
  exit: z.object({ result: z.string(), code: z.string(), status: z.string(), oomKills: z.int() }).nullable(),
  unit: z.object({ active: z.string(), pid: z.int().nullable(), alive: z.boolean() }),
});
export type NodeService = z.infer<typeof nodeServiceSchema>;

export const observeAnswer = momentSchema.extend({ services: z.array(nodeServiceSchema) });

export const serviceAnswer = momentSchema.extend({ service: nodeServiceSchema });
export type ServiceAnswer = z.infer<typeof serviceAnswer>;

/** Where a node's journal ends; null while no service has written. */
export const journalEndAnswer = z.object({ cursor: z.string().nullable() });

export const stopAnswer = serviceAnswer.extend(journalEndAnswer.shape);

export const reserveAnswer = z.object({ port: z.int(), known: z.boolean() });

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
