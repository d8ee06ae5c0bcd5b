import { z } from 'zod';
import { serviceRamMb, type TemplateConfig } from '#shared/config/template.ts';
import type { LogEnd, ServiceSpec } from '#master/runtime/runtime.ts';

/**
 * Template fields whose values a running service keeps from its start. A change of such a field takes effect at the
 * next start (docs/specification.md#effect-of-a-change).
 */
export const START_FIELDS = [
  'minJvmMemory',
  'maxJvmMemory',
  'isProxy',
  'maxPlayers',
  'defaultServiceFiles',
  'java',
  'jvmArguments',
  'environment',
  'persistentPaths',
] as const satisfies readonly (keyof TemplateConfig)[];

/** Values of the fields in {@link START_FIELDS}. */
export type StartValues = Pick<TemplateConfig, (typeof START_FIELDS)[number]>;

/**
 * Values with which a running service was started. After a restart of the master, only the values of the required
 * fields are known until the service is observed.
 */
export type KnownValues = Partial<StartValues> &
  Pick<StartValues, 'isProxy' | 'maxPlayers' | 'persistentPaths'>;

/** Values that a service gets at its start so that players can join it. They stay the same until the next start. */
export type ServiceSetup = Pick<ServiceSpec, 'proxyProtocol' | 'forwarding' | 'plugin' | 'sharedFiles'>;

/** Revision, values and setup from which a service was started, and the RAM that it takes. */
export interface StartedFrom {
  readonly revision: string;
  readonly values: KnownValues;
  readonly given: ServiceSetup;
  /** Whether the service's files disable status pings. */
  readonly statusOff: boolean;
  /** Where the service's log ended before the start; null if unknown. */
  readonly logEnd: LogEnd | null;
  /** RAM allocated on the service's node (MB). */
  readonly ramMb: number;
}

/**
 * The part of {@link StartedFrom} that is stored for the next master. The next master needs this part until it has
 * observed the service. The part is small, because it is written for all services at once, and contains no secrets. It
 * is not stored if a node reports longer strings than this schema allows.
 */
export const keptStartSchema = z.object({
  revision: z.string().max(64),
  values: z.object({
    isProxy: z.boolean(),
    maxPlayers: z.int(),
    persistentPaths: z.array(z.string().max(256)).max(200),
  }),
  given: z.object({
    proxyProtocol: z.boolean(),
    forwarding: z.enum(['legacy', 'modern']).nullable(),
    plugin: z.string().max(64).nullable(),
  }),
  statusOff: z.boolean(),
  ramMb: z.number(),
});
export type KeptStart = z.infer<typeof keptStartSchema>;

/**
 * Returns the revision, values and setup of a service from their stored part. The values that are not stored count as
 * unknown.
 */
export function fromKeptStart({ revision, values, given, statusOff, ramMb }: KeptStart): StartedFrom {
  return { revision, values, given: { ...given, sharedFiles: null }, statusOff, logEnd: null, ramMb };
}

/**
 * Returns the revision, values and setup of a service that starts now. `statusOff` and `logEnd` are not known yet,
 * because the service's files have not been read.
 */
export function startFrom(values: StartValues, revision: string, given: ServiceSetup): StartedFrom {
  return { revision, values, given, statusOff: false, logEnd: null, ramMb: serviceRamMb(values) };
}

/**
 * Returns the revision, values and setup of a running service, read from the file that is stored with its process.
 */
export function startedFrom({ revision, ...spec }: ServiceSpec): StartedFrom {
  const { minJvmMemoryMb, maxJvmMemoryMb, isProxy, maxPlayers, defaultServiceFiles, persistentPaths } = spec;
  const { java, jvmArguments, environment, statusOff, logEnd } = spec;
  const values: StartValues = {
    minJvmMemory: minJvmMemoryMb,
    maxJvmMemory: maxJvmMemoryMb,
    isProxy,
    maxPlayers,
    defaultServiceFiles: [...defaultServiceFiles],
    java,
    jvmArguments: [...jvmArguments],
    environment: [...environment],
    persistentPaths: [...persistentPaths],
  };
  const { proxyProtocol, forwarding, plugin, sharedFiles } = spec;
  return {
    ...startFrom(values, revision, { proxyProtocol, forwarding, plugin, sharedFiles }),
    statusOff,
    logEnd,
  };
}
