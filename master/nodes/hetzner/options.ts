import type { Logger } from 'pino';
import type { MonthCosts, CloudNode } from '#master/core/snapshot/snapshot.ts';
import type { FirewallRule, MasterConfig } from '#shared/config/master.ts';

/** The part of the master configuration that concerns cloud servers. */
export interface MachineSettings {
  readonly provider: MasterConfig['provider'];
  readonly firewallRules: readonly FirewallRule[];
  /** `communication.hostname`: configured address of the master. */
  readonly masterAddress: string;
  /** Limits for orders (docs/specification.md#limits-of-the-budget). */
  readonly limits: MasterConfig['limits'];
}

export interface MachinesOptions {
  /** Returns the part of the current master configuration that concerns cloud servers. */
  readonly settings: () => MachineSettings;
  /** Returns the costs of the current month, given the current cloud nodes. */
  readonly month: (nodes: readonly CloudNode[]) => MonthCosts;
  /** Id of this network. Its servers are recognized by this id (docs/adr/0018). */
  readonly cluster: string;
  /** Path of the journal, `<data>/state/nodes.json`. */
  readonly statePath: string;
  readonly log: Logger;
  /** Returns the current time (ms since epoch). */
  readonly now: () => number;
  /** Base URL of the API; default: Hetzner's. */
  readonly baseUrl?: string | undefined;
  /** Overrides some of {@link DEFAULT_TIMES}. */
  readonly times?: Partial<ProviderTimes>;
}

/** Intervals and time limits of the access to the provider (ms). */
export interface ProviderTimes {
  /** Interval between two synchronizations of the server list. */
  readonly refresh: number;
  /** Interval between two readings of types and prices. */
  readonly supply: number;
  /** Interval between two searches for leftovers: primary IPs, firewalls. */
  readonly sweep: number;
  /** Interval at which actions are polled; the value of the official client. */
  readonly actionPoll: number;
  /** Maximum time to wait for an action. The outcome of an action that takes longer is unknown. */
  readonly actionTimeout: number;
  /** Delay before the first retry of a request; doubled each time, at most 60 s. */
  readonly retry: number;
  /** Time limit of one request. */
  readonly request: number;
  /**
   * Time without an answer to a request for the list of servers after which silent nodes are not marked as lost. It is
   * much shorter than `request`: if the master's own network fails, provider and nodes become silent at the same time.
   */
  readonly blind: number;
  /** Time for which a server may still appear after its order got no answer. */
  readonly grace: number;
  /**
   * Time for which a type of server is not ordered at a location after it was sold out there. Each further refusal
   * doubles the time, up to 12 times this value.
   */
  readonly soldOut: number;
  /** Pause after a refusal that does not depend on the type, such as the account's limit. */
  readonly pause: number;
}

export const DEFAULT_TIMES: ProviderTimes = {
  refresh: 10_000,
  supply: 300_000,
  sweep: 600_000,
  actionPoll: 500,
  actionTimeout: 300_000,
  retry: 1_000,
  request: 30_000,
  blind: 5_000,
  grace: 60_000,
  soldOut: 300_000,
  pause: 900_000,
};
