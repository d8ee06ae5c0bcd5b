import type { Logger } from 'pino';
import type { HetznerApi } from './api/hetzner-api.ts';
import type { Journal } from './journal.ts';
import type { MachineSettings, Times } from './options.ts';

/** Dependencies shared by all parts of this adapter. */
export interface Context {
  /**
   * Returns the API with the current token. @throws OverworldError PROVIDER_UNREACHABLE while no usable token is
   * set
   */
  readonly api: () => HetznerApi;
  readonly journal: Journal;
  readonly settings: () => MachineSettings;
  readonly cluster: string;
  readonly times: Times;
  readonly now: () => number;
  readonly log: Logger;
}
