import type { Logger } from 'pino';
import type { HetznerApi } from './api/hetzner-api.ts';
import type { Journal } from './journal.ts';
import type { MachineSettings, ProviderTimes } from './options.ts';

/** Dependencies that all parts of the Hetzner adapter share. */
export interface Context {
  /** Returns the API client for the current token. @throws ApiProblem `no_token`, `closed` (see access.ts) */
  readonly api: () => HetznerApi;
  readonly journal: Journal;
  readonly settings: () => MachineSettings;
  readonly cluster: string;
  readonly times: ProviderTimes;
  readonly now: () => number;
  readonly log: Logger;
}
