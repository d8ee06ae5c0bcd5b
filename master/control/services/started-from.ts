import { serviceRamMb, type TemplateConfig } from '#shared/config/template.ts';
import type { ServiceSpec } from '#master/runtime/runtime.ts';
import type { ServiceSetup } from '#master/ingress/service-setup.ts';

/** Fields of a template that a service keeps from its start on: those that take effect at the next one (docs/specification.md#effect-of-a-change). */
export const START_FIELDS = [
  'minJvmMemory',
  'maxJvmMemory',
  'isProxy',
  'maxPlayers',
  'defaultServiceFiles',
] as const satisfies readonly (keyof TemplateConfig)[];

/** Values of those fields. */
export type StartValues = Pick<TemplateConfig, (typeof START_FIELDS)[number]>;

/** What a service was started from, and takes. */
export interface StartedFrom {
  readonly revision: string;
  readonly values: StartValues;
  readonly given: ServiceSetup;
  /** Allocated on its node, MB. */
  readonly ramMb: number;
}

/** What a service takes with it that starts now. */
export function startFrom(values: StartValues, revision: string, given: ServiceSetup): StartedFrom {
  return { revision, values, given, ramMb: serviceRamMb(values) };
}

/** The same of one that was found running, from the note beside its process. */
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
