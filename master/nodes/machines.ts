import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { ReleaseRequester } from '#master/core/fleet/spending.ts';
import type { ForeignServer } from '#shared/model/foreign-server.ts';
import type { NodeOrder, Supply } from './node.ts';

/**
 * A cloud server as reported by its provider. Its state is one of:
 *
 * - `ordered`: requested and not created yet
 * - `starting`
 * - `on`: the provider reports it as running, which does not mean that its system works
 * - `off`: switched off, at the same price
 * - `deleting`
 */
export interface Machine {
  readonly node: NodeId;
  readonly state: 'ordered' | 'starting' | 'on' | 'off' | 'deleting';
  /** Address of the machine; null until the provider has assigned one. */
  readonly address: string | null;
  /** Full type name, such as `cpx32`. */
  readonly type: string;
  readonly location: string;
  /** Start of billing, or the time of the order (ms since epoch). */
  readonly since: number;
  /**
   * Whether the provider has not confirmed yet that the server exists, so that it may never be paid for; default
   * false.
   */
  readonly isUnconfirmed?: boolean;
  /** Hourly price (EUR, without VAT). */
  readonly hourlyPrice: number;
  /** RAM for services (MB). */
  readonly ramMb: number;
  readonly cores: number;
  /** SSH port that was chosen when the machine was ordered. */
  readonly sshPort: number;
  /**
   * Fingerprints of the host keys that the node may present, `SHA256:…`. There are two while the key is being
   * replaced.
   */
  readonly hostKeys: readonly string[];
  /**
   * Time at which the machine was ready for the first time (ms since epoch); null if it has not been ready yet. The
   * provider's labels store the time too, so that it is not lost with the local state.
   */
  readonly readyAt: number | null;
}

/** Data for the order of a server, in addition to its type and location. */
export interface MachineSeed {
  /** cloud-init document; at most 32 KiB. */
  readonly userData: string;
  /** Fingerprint of the first host key, which is part of `userData`. */
  readonly hostKey: string;
}

/**
 * Cloud servers of a provider that have this cluster's labels. Orders and releases are recorded on disk before the
 * provider receives a request (docs/adr/0018). While the provider cannot be reached, the last known facts stay
 * available.
 */
export interface Machines {
  /** Returns all known servers. A server that is not listed no longer exists. */
  all(): readonly Machine[];
  /**
   * Reports whether all servers are known: the provider has listed them since this master started, or no usable
   * token is set.
   */
  listed(): boolean;
  /** Returns what can be ordered; null before the first answer of the provider and while no usable token is set. */
  supply(): Supply | null;
  /**
   * Starts to read servers and prices from the provider if that is due. The call is cheap enough for every round of
   * the control loop. Never throws; {@link Machines.trouble} returns the reason of a failure.
   */
  refresh(): Promise<void>;
  /**
   * Returns why the provider cannot be reached or refuses requests, as one sentence with advice; null if there is
   * no problem.
   */
  trouble(): string | null;
  /**
   * Reports whether the master cannot see the servers of its nodes. Either the provider does not answer at all, so
   * that the fault is probably in the master's own network, or there is no valid token of the nodes' project.
   * Other problems, such as a price list that cannot be read, do not count.
   */
  isBlind(): boolean;
  /**
   * Orders a server and waits until the provider has created it.
   *
   * @throws OverworldError ORDER_REFUSED (with advice; {@link Machines.supply} then lists what is sold out, or why
   *   ordering is paused), PROVIDER_UNREACHABLE (the outcome is unknown, and the server is searched for), DISK_FULL
   */
  order(order: NodeOrder, seed: MachineSeed): Promise<void>;
  /**
   * Deletes a server and waits until it no longer exists. Does nothing if it does not exist. The token of another
   * project does not find the server. The server then stays listed, unless a person requests the release.
   *
   * @throws OverworldError RELEASE_REFUSED (for example if the rules request it in configure mode, or if the server
   *   may still exist), PROVIDER_UNREACHABLE (the deletion is retried), DISK_FULL
   */
  release(node: NodeId, requester: ReleaseRequester): Promise<void>;
  /**
   * Returns the servers of other networks in the provider's project, sorted by network and name. Returns the same
   * array object until the list changes.
   */
  foreignServers(): readonly ForeignServer[];
  /**
   * Deletes a server of another network. Resolves when the provider has accepted the deletion.
   *
   * @throws OverworldError NODE_NOT_FOUND, RELEASE_REFUSED, PROVIDER_UNREACHABLE
   */
  deleteForeignServer(server: Pick<ForeignServer, 'name' | 'network'>): Promise<void>;
  /** Reports whether configure mode is on. In configure mode the rules neither order nor delete servers. */
  isFrozen(): boolean;
  /**
   * Stores facts that were found on the node itself. They are stored on disk and in the provider's labels, so that
   * they stay known even if the local state is lost. If the labels cannot be set, they are set later.
   *
   * @throws OverworldError DISK_FULL
   */
  remember(node: NodeId, found: Partial<Pick<Machine, 'hostKeys' | 'readyAt'>>): Promise<void>;
  /**
   * Records a server that did not become ready in time. Its type is avoided at its location for a while, and
   * ordering is paused if this happens too often within an hour. A server counts once, even after a restart. The
   * caller releases the server, unless a person keeps it.
   */
  countFailure(node: NodeId, why: string): void;
  /**
   * Opens SSH and the services' ports to the addresses at which the nodes see the master. An empty list means that
   * the addresses are unknown, for example because no node is reachable; the services' ports then stay open to the
   * last known addresses.
   *
   * @param isComplete whether each node sees the master at one of the addresses; otherwise SSH is open to everyone
   */
  allowMaster(addresses: readonly string[], isComplete: boolean): void;
  /** Aborts requests to the provider, and waits until the work in progress has ended. */
  close(): Promise<void>;
}
