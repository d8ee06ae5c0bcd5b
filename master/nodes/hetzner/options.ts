import type { Logger } from 'pino';
import type { FirewallRule, MasterConfig } from '#shared/config/master.ts';

/** The part of the master configuration that concerns cloud servers. */
export interface MachineSettings {
  readonly provider: MasterConfig['provider'];
  readonly firewallRules: readonly FirewallRule[];
  /** `communication.hostname` */
  readonly masterAddress: string;
}

export interface MachinesOptions {
  /** Returns the current settings. */
  readonly settings: () => MachineSettings;
  /** Id of this network, by which its servers are recognized (docs/adr/0018). */
  readonly cluster: string;
  /** Path of the journal, `<data>/state/nodes.json`: intended and known states of each server. */
  readonly statePath: string;
  readonly log: Logger;
  /** Returns the current time (ms since epoch). */
  readonly now: () => number;
  /** Base URL of the API; default: Hetzner's. */
  readonly baseUrl?: string | undefined;
  /** Overrides some of {@link DEFAULT_TIMES}. */
  readonly times?: Partial<Times>;
}

/** Intervals and limits (ms). */
export interface Times {
  /** Interval between two synchronizations of the server list. */
  readonly refresh: number;
  /** Interval between two readings of types and prices. */
  readonly supply: number;
  /** Interval between two searches for leftovers: primary IPs, firewalls. */
  readonly sweep: number;
  /** Interval of polling actions; the official client's. */
  readonly actionPoll: number;
  /** Time after which an action counts as failed. */
  readonly actionTimeout: number;
  /** Delay before the first retry of a request; doubled each time, at most 60 s. */
  readonly retry: number;
  /** Time limit of one request. */
  readonly request: number;
  /** Time for which an order without an answer may still appear. */
  readonly grace: number;
  /** Time for which a sold-out pair of type and location is not ordered; doubled each time, up to 12 times as long. */
  readonly soldOut: number;
  /** Pause after a refusal that does not depend on the type, such as the account's limit. */
  readonly pause: number;
}

export const DEFAULT_TIMES: Times = {
  refresh: 10_000,
  supply: 300_000,
  sweep: 600_000,
  actionPoll: 500,
  actionTimeout: 300_000,
  retry: 1_000,
  request: 30_000,
  grace: 60_000,
  soldOut: 300_000,
  pause: 900_000,
};
