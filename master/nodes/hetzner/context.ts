import type { Logger } from 'pino';
import type { HetznerApi } from './api/hetzner-api.ts';
import type { Journal } from './journal.ts';
import type { MachineSettings, Times } from './options.ts';

/** What all parts of this adapter work with. */
export interface Context {
  /** The API with the token of this moment. @throws OverworldError PROVIDER_UNREACHABLE while no usable one is set */
  readonly api: () => HetznerApi;
  readonly journal: Journal;
  readonly settings: () => MachineSettings;
  readonly cluster: string;
  readonly times: Times;
  readonly now: () => number;
  readonly log: Logger;
}
