import { z } from 'zod';
import { AUTO_JAVA, environmentEntrySchema } from '#shared/config/start-up.ts';
import { fileEntrySchema } from '#shared/config/template.ts';
import { serviceIdSchema } from '#shared/model/service.ts';
import { templateIdSchema } from '#shared/model/template.ts';
import { tolerant } from '#shared/tolerant.ts';
import type { ServiceSpec } from './runtime.ts';

/**
 * Record that is stored with each prepared service. It contains everything that a master without any state needs to
 * adopt the service. Keys that only a newer master knows are ignored.
 */
export const serviceRecordSchema = z.object({
  port: z.int().min(1).max(65_535),
  spec: z.object({
    id: serviceIdSchema,
    template: templateIdSchema,
    revision: z.string(),
    minJvmMemoryMb: z.int(),
    maxJvmMemoryMb: z.int(),
    isProxy: z.boolean(),
    // Missing in records of earlier versions, which left online-mode unchanged.
    behindProxy: z.boolean().default(false),
    proxyProtocol: z.boolean().default(false),
    forwarding: z.enum(['legacy', 'modern']).nullable().default(null),
    plugin: z.string().nullable().default(null),
    maxPlayers: z.int(),
    // Missing in records of versions before these settings.
    java: z.string().default(AUTO_JAVA),
    needsJava: z.int().nullable().default(null),
    jvmArguments: z.array(z.string()).default([]),
    environment: z.array(tolerant(environmentEntrySchema)).default([]),
    statusOff: z.boolean().default(false),
    logEnd: z
      .object({ lines: z.int().min(0), lastHash: z.string().nullable() })
      .nullable()
      .default(null),
    defaultServiceFiles: z.array(tolerant(fileEntrySchema)),
    persistentPaths: z.array(z.string()).default([]),
    // Missing in records of earlier versions, which gave each service 15 s.
    stopTimeoutS: z.int().default(30),
    sharedFiles: z.string().nullable().default(null),
    cause: z.string(),
    requestedAt: z.int(),
  }),
});

export interface RuntimeRecord {
  readonly spec: ServiceSpec;
  readonly port: number;
}
