import type { ReleaseRequester } from '#master/core/fleet/spending.ts';
import type { Market, NodeSnapshot } from '#master/core/snapshot/snapshot.ts';
import type { Node } from '#shared/model/node.ts';

/** Machine that can run services, as known to its provider. Settings of users are stored elsewhere. */
export interface NodeInfo {
  readonly id: string;
  readonly kind: Node['kind'];
  readonly state: Node['state'];
  /** What the node is waiting for, or its problem, as one sentence; null if there is nothing to report. */
  readonly note: string | null;
  /**
   * Time since which the node cannot be observed (`monotonicMs()`); null while it can. Its services are unknown,
   * but not considered ended.
   */
  readonly silentSince: number | null;
  /**
   * Whether the node answers although its services cannot be observed, for example because its disk is too full for
   * what a newer master needs. Such a node is not considered lost.
   */
  readonly unprepared: boolean;
  /** The provider's location code, such as `nbg1`; null for the master's own machine. */
  readonly location: string | null;
  /** Address at which players and the balancer reach its services. */
  readonly address: string;
  /** RAM for services (MB, 2^20 bytes). */
  readonly ramMb: number;
  /** Maximum number of services that are prepared or started in parallel. */
  readonly startBudget: number;
  /** Whether a Java runtime was found on the node. */
  readonly hasJava: boolean;
  /** Null for the master's own machine. */
  readonly rental: NodeSnapshot['rental'];
}

/** Minimum time for which a READY node must be unreachable before it is considered lost (ms). A reboot takes about 30 s. */
export const SILENCE_GRACE_MS = 60_000;

/** What a provider can sell; what of it may be ordered is part of the master configuration. */
export type Supply = Omit<Market, 'location' | 'serverType' | 'blockedServers'>;

/** Order of a cloud node. */
export interface NodeOrder {
  /**
   * Id of the node. It is chosen by the master and used as a name at the provider, so that the node is found again
   * after a crash.
   */
  readonly node: string;
  /** Full type name, such as `cpx32`. */
  readonly type: string;
  readonly location: string;
  /** RAM for services that it will have (MB). */
  readonly ramMb: number;
}

/**
 * All nodes: the master's own machine and the cloud nodes.
 *
 * Orders and releases write the intent to disk before the provider gets a request. From the call on,
 * {@link NodeRegistry.nodes} lists the node as ORDERED or DELETING, so that no later round repeats the request.
 */
export interface NodeRegistry {
  /**
   * Returns all known nodes without a request. The list is complete: a node that is not listed no longer exists.
   * While the provider is not reachable, the nodes known before are listed.
   */
  nodes(): readonly NodeInfo[];
  /**
   * Updates the state; called regularly by the control loop. It returns quickly, because requests run in the
   * background.
   */
  refresh(): Promise<void>;
  /** Returns false while there may be nodes that this master does not know, as shortly after its start. */
  listed(): boolean;
  /** Returns why nodes may be unknown or requests are refused, as one sentence; null if all is well. */
  trouble(): string | null;
  /** Returns what can be ordered; null if nothing can. */
  market(): Supply | null;
  /** Resolves once the provider has accepted the order; the node boots afterwards. */
  order(order: NodeOrder): Promise<void>;
  /** Resolves once the provider has deleted the node. Does nothing if it no longer exists. */
  release(node: string, requester: ReleaseRequester): Promise<void>;
  /** Returns whether this master has started to release a node, for any reason. Ids are never reused. */
  hasReleased(node: string): boolean;
  /**
   * Records the problem of a reachable node, found by the last observation of its services. It is shown as the node's
   * note, unless the node already has one.
   *
   * @param problem one sentence; null if there is no problem
   */
  setProblem(node: string, problem: string | null): void;
}
