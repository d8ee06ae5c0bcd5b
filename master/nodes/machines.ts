import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { ReleaseRequester } from '#master/core/fleet/spending.ts';
import type { NodeOrder, Supply } from './node.ts';

/**
 * Cloud server as known to its provider. `ordered`: requested and not created yet; `starting`; `on`: the provider
 * reports it as running, which says nothing about its system; `off`: it costs the same; `deleting`.
 */
export interface Machine {
  readonly node: NodeId;
  readonly state: 'ordered' | 'starting' | 'on' | 'off' | 'deleting';
  /** Null until the provider has assigned one. */
  readonly address: string | null;
  /** Full type name, such as `cpx32`. */
  readonly type: string;
  readonly location: string;
  /** Start of billing, or the time of the order (ms since epoch). */
  readonly since: number;
  /** Net hourly price (EUR). */
  readonly hourlyPrice: number;
  /** RAM for services (MB). */
  readonly ramMb: number;
  readonly cores: number;
  /** SSH port chosen at the order. */
  readonly sshPort: number;
  /** Fingerprints of the host keys that it may present, `SHA256:…`; two during a replacement. */
  readonly hostKeys: readonly string[];
  /**
   * Time at which it was first ready (ms since epoch). Null if it has not been ready yet. Known even without local
   * state.
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
 * Cloud servers of a provider with this cluster's labels. Intents are on disk before the provider gets a request
 * (docs/adr/0018). Known facts are kept while the provider is not reachable.
 */
export interface Machines {
  /** Returns all known servers. A server that is not listed no longer exists. */
  all(): readonly Machine[];
  /**
   * Returns whether all servers are known: the provider has listed them since this master started, or no usable
   * token is set.
   */
  listed(): boolean;
  /** Returns what can be ordered; null before the first answer of the provider and while no usable token is set. */
  supply(): Supply | null;
  /** Asks the provider again if it is due; cheap enough for every round. Never throws; see {@link Machines.trouble}. */
  refresh(): Promise<void>;
  /**
   * Returns why the provider is not reachable or refuses requests, as one sentence with advice; null if all is
   * well.
   */
  trouble(): string | null;
  /**
   * Orders a server and waits until the provider has created it.
   *
   * @throws OverworldError ORDER_REFUSED (with advice; sold-out types and pauses are part of {@link
   *   Machines.supply}), PROVIDER_UNREACHABLE (the outcome is unknown, and the server is searched for)
   */
  order(order: NodeOrder, seed: MachineSeed): Promise<void>;
  /**
   * Deletes a server and waits until it no longer exists. Does nothing if it does not exist.
   *
   * @throws OverworldError RELEASE_REFUSED (in configure mode also if the rules request it), PROVIDER_UNREACHABLE
   */
  release(node: NodeId, requester: ReleaseRequester): Promise<void>;
  /** Whether configure mode is on: then the rules neither order nor delete servers. */
  isFrozen(): boolean;
  /**
   * Stores facts found on the node itself, on disk and in the provider's labels, so that they are known even
   * without local state.
   */
  remember(node: NodeId, found: Partial<Pick<Machine, 'hostKeys' | 'readyAt'>>): Promise<void>;
  /**
   * Records a server that did not become ready in time. Its type is avoided at its location for a while, and
   * ordering is paused if this happens too often within an hour. The caller releases the server.
   */
  countFailure(node: NodeId, why: string): void;
  /**
   * Allows the master's addresses, as seen by its nodes, to reach SSH and the services' ports. An empty list means
   * that they are unknown, for example because no node is reachable; SSH is then open to everyone until a node
   * reports an address.
   */
  allowMaster(addresses: readonly string[]): void;
  close(): Promise<void>;
}
