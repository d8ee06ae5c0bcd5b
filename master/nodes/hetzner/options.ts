import type { Logger } from 'pino';
import type { FirewallRule, MasterConfig } from '#shared/config/master.ts';

/** What of the master configuration concerns rented machines. */
export interface MachineSettings {
  readonly provider: MasterConfig['provider'];
  readonly firewallRules: readonly FirewallRule[];
  /** `communication.hostname` */
  readonly masterAddress: string;
}

export interface MachinesOptions {
  /** Read anew whenever it is needed. */
  readonly settings: () => MachineSettings;
  /** This network's id, by which its machines are known (docs/adr/0018). */
  readonly cluster: string;
  /** `<data>/state/nodes.json`: what was meant and what is known of each machine. */
  readonly statePath: string;
  readonly log: Logger;
  /** ms since epoch. */
  readonly now: () => number;
  /** Left out: Hetzner's own. */
  readonly baseUrl?: string | undefined;
  /** Replaces some of {@link DEFAULT_TIMES}. */
  readonly times?: Partial<Times>;
}

/** How often and how long, ms. */
export interface Times {
  /** Between two looks at the servers. */
  readonly refresh: number;
  /** Between two looks at what is sold, and at prices. */
  readonly supply: number;
  /** Between two looks for things that were forgotten: primary IPs, firewalls. */
  readonly sweep: number;
  /** Between two looks at actions that run; the official client's. */
  readonly actionPoll: number;
  /** An action that takes longer has failed. */
  readonly actionTimeout: number;
  /** The first wait before a request is tried again; doubled each time, at most 60 s. */
  readonly retry: number;
  /** One request. */
  readonly request: number;
  /** How long an order that nobody answered may still turn up. */
  readonly grace: number;
  /** A pair of type and location that was sold out is not asked for; doubled each time, at most 12 times as long. */
  readonly soldOut: number;
  /** After a refusal that other types do not help against, such as the account's limit. */
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
