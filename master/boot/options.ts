import type { Logger } from 'pino';
import type { Limits } from '#master/control/context/environment.ts';
import { DEFAULT_BACKOFF } from '#master/core/placement/backoff.ts';
import type { Times } from '#master/nodes/hetzner/options.ts';
import type { LinkTiming } from '#master/link/timing.ts';
import { DEFAULT_PING_PERIODS } from '#master/core/ping-schedule.ts';

/** What a master is started with. */
export interface MasterOptions {
  /** Data folder; made when there is none. */
  readonly data: string;
  readonly sshHost: string;
  /** 0: any free one. */
  readonly sshPort: number;
  /** One public key line that is made an owner if it is not authorized yet. */
  readonly ownerKey?: string | undefined;
  /** Ports for services on this machine. */
  readonly ports?: { readonly from: number; readonly to: number } | undefined;
  /** False: services run on rented nodes alone; true when left out. */
  readonly local?: boolean | undefined;
  /** Where the provider's API is asked; by default its own address. */
  readonly providerUrl?: string | undefined;
  /** Replaces some of the intervals and time limits at which the provider is asked. */
  readonly providerTimes?: Partial<Times> | undefined;
  /** RAM for services on this machine, MB. */
  readonly ramMb?: number | undefined;
  readonly log: Logger;
  /** Replaces some of {@link DEFAULT_LIMITS}. */
  readonly limits?: Partial<Limits> | undefined;
  /** Replaces some of the link's `DEFAULT_TIMING`. */
  readonly linkTiming?: Partial<LinkTiming> | undefined;
}

/** Measured on small servers; a modded one may take minutes to start and long to save its worlds. */
export const DEFAULT_LIMITS: Limits = {
  roundMs: 1_000,
  startTimeoutMs: 300_000,
  startQuietMs: 60_000,
  startMaximumMs: 1_800_000,
  unresponsiveAfterMs: 15_000,
  stopGraceMs: 30_000,
  backoff: DEFAULT_BACKOFF,
  pings: DEFAULT_PING_PERIODS,
};

/** Minecraft's own port and what follows; well below the ports that systems hand out at random. */
export const DEFAULT_PORTS = { from: 25_565, to: 25_999 };
