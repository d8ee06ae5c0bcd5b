import type { Logger } from 'pino';
import type { Limits } from '#master/state/context/environment.ts';
import { DEFAULT_BACKOFF } from '#master/core/placement/backoff-delay.ts';
import type { ProviderTimes } from '#master/nodes/hetzner/options.ts';
import type { LinkTiming } from '#master/link/timing.ts';
import { DEFAULT_PING_PERIODS } from '#master/core/ping-schedule.ts';

/** Options of a master. */
export interface MasterOptions {
  /** Data folder. It is created if it does not exist. */
  readonly data: string;
  readonly sshHost: string;
  /** Port of the SSH server; 0 selects a free port. */
  readonly sshPort: number;
  /** Path of the SSH service's socket. Default: this process itself serves SSH and files. */
  readonly sshService?: string | undefined;
  /** The line of a public key. The key becomes an owner key if it is not authorized yet. */
  readonly ownerKey?: string | undefined;
  /** Ports for services on this machine; default {@link DEFAULT_PORTS}. */
  readonly ports?: { readonly from: number; readonly to: number } | undefined;
  /** Whether this machine runs services under the master's own user; default true. */
  readonly local?: boolean | undefined;
  /**
   * File that describes how to reach this machine as a node over SSH (store/machine-access.ts). If the file exists
   * and `local` is false, this machine runs services, each under a separate user.
   */
  readonly localAccess?: string | undefined;
  /**
   * Whether this machine may run services even if they run as root or could read an API token of the provider;
   * default true. The command line always sets it.
   */
  readonly localUnsafe?: boolean | undefined;
  /** Address of the provider's API. Default: the provider's real address. */
  readonly providerUrl?: string | undefined;
  /** Address of a mirror from which server software is downloaded. Default: the publishers themselves. */
  readonly softwareMirror?: string | undefined;
  /**
   * E-mail address or URL that the publishers of server software get as a contact. Default: only the project's own
   * contact.
   */
  readonly contact?: string | undefined;
  /** Overrides some of the intervals and time limits of requests to the provider. */
  readonly providerTimes?: Partial<ProviderTimes> | undefined;
  /**
   * Address of the API that offers Java runtimes. Default: Adoptium's address. Null if the master must not download
   * Java.
   */
  readonly javaUrl?: string | null | undefined;
  /** RAM for services on this machine (MB); default: installed RAM minus 1 GB, but at least 512 MB. */
  readonly ramMb?: number | undefined;
  readonly log: Logger;
  /** Overrides some of {@link DEFAULT_LIMITS}. */
  readonly limits?: Partial<Limits> | undefined;
  /** Overrides some of the link's `DEFAULT_TIMING`. */
  readonly linkTiming?: Partial<LinkTiming> | undefined;
  /** Interval of the pings to the SSH service (ms). Default: `PING_MS` of its watch. */
  readonly sshPingMs?: number | undefined;
}

/**
 * Default limits. They suit small servers, with which they were measured. A modded server may take minutes to start,
 * and a long time to save its worlds.
 */
export const DEFAULT_LIMITS: Limits = {
  roundMs: 1_000,
  startQuietMs: 60_000,
  startMaximumMs: 1_800_000,
  unresponsiveAfterMs: 15_000,
  backoff: DEFAULT_BACKOFF,
  pings: DEFAULT_PING_PERIODS,
};

/**
 * Default ports for services: Minecraft's own port and the ports after it. They are well below the ports that
 * operating systems assign to outgoing connections.
 */
export const DEFAULT_PORTS = { from: 25_565, to: 25_999 };
