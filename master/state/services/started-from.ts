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

/** Values that a service gets at its start so that players can join it. They stay the same until the next start. */
export type ServiceSetup = Pick<ServiceSpec, 'proxyProtocol' | 'forwarding' | 'plugin' | 'sharedFiles'>;

/** Revision, values and setup from which a service was started, and the RAM that it takes. */
export interface StartedFrom {
  readonly revision: string;
  readonly values: StartValues;
  readonly given: ServiceSetup;
  /** Whether the service's files disable status pings. */
  readonly statusOff: boolean;
  /** Where the service's log ended before the start; null if unknown. */
  readonly logEnd: LogEnd | null;
  /** RAM allocated on the service's node (MB). */
  readonly ramMb: number;
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
