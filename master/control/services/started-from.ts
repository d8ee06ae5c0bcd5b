import { serviceRamMb, type TemplateConfig } from '#shared/config/template.ts';
import type { ServiceSpec } from '#master/runtime/runtime.ts';
import type { ServiceSetup } from '#master/ingress/service-setup.ts';

/**
 * Template fields that a running service keeps from its start: those that take effect at the next one
 * (docs/specification.md#effect-of-a-change).
 */
export const START_FIELDS = [
  'minJvmMemory',
  'maxJvmMemory',
  'isProxy',
  'maxPlayers',
  'defaultServiceFiles',
] as const satisfies readonly (keyof TemplateConfig)[];

/** Values of those fields. */
export type StartValues = Pick<TemplateConfig, (typeof START_FIELDS)[number]>;

/** What a service was started from, and the RAM that it takes. */
export interface StartedFrom {
  readonly revision: string;
  readonly values: StartValues;
  readonly given: ServiceSetup;
  /** RAM allocated on its node (MB). */
  readonly ramMb: number;
}

/** Returns what a service that starts now is started from. */
export function startFrom(values: StartValues, revision: string, given: ServiceSetup): StartedFrom {
  return { revision, values, given, ramMb: serviceRamMb(values) };
}

/** Returns what a running service was started from, read from the file beside its process. */
export function startedFrom({ revision, ...spec }: ServiceSpec): StartedFrom {
  const { minJvmMemoryMb, maxJvmMemoryMb, isProxy, maxPlayers, defaultServiceFiles } = spec;
  const values: StartValues = {
    minJvmMemory: minJvmMemoryMb,
    maxJvmMemory: maxJvmMemoryMb,
    isProxy,
    maxPlayers,
    defaultServiceFiles: [...defaultServiceFiles],
  };
  const { proxyProtocol, forwarding, plugin, sharedFiles } = spec;
  return startFrom(values, revision, { proxyProtocol, forwarding, plugin, sharedFiles });
}
