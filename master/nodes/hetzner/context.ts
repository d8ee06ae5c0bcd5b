import type { Logger } from 'pino';
import type { HetznerApi } from './api/hetzner-api.ts';
import type { Journal } from './journal.ts';
import type { MachineSettings, ProviderTimes } from './options.ts';

/** Dependencies that all parts of the Hetzner adapter share. */
export interface Context {
  /** Returns the API client for the current token. @throws ApiProblem `no_token`, `closed` (see access.ts) */
  readonly api: () => HetznerApi;
  /**
   * Reports whether the current token is the one with which the servers were last listed. Another token may belong to
   * another project. If such a token does not find a server, the server may exist nevertheless.
   */
  readonly isTokenProven: () => boolean;
  readonly journal: Journal;
  readonly settings: () => MachineSettings;
  readonly cluster: string;
  readonly times: ProviderTimes;
  readonly now: () => number;
  readonly log: Logger;
}
