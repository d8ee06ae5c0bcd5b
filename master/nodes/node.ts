import type { ForeignServer } from '#shared/model/foreign-server.ts';
import type { ReleaseRequester } from '#master/core/fleet/spending.ts';
import type { Market, NodeSnapshot } from '#master/core/snapshot/snapshot.ts';
import type { Node, NodeState } from '#shared/model/node.ts';

/** A machine that can run services, as reported by its provider. Overrides that people set are stored elsewhere. */
export interface NodeInfo {
  readonly id: string;
  readonly kind: Node['kind'];
  readonly state: NodeState;
  /** What the node is waiting for, or its problem, as one sentence; null if there is nothing to report. */
  readonly note: string | null;
  /**
   * Time since which the node cannot be observed (`monotonicMs()`); null while it can be observed. While the node
   * cannot be observed, the state of its services is unknown, but the services do not count as exited.
   */
  readonly silentSince: number | null;
  /**
   * Whether the node answers although its services cannot be observed, for example because its disk is too full for
   * the files of a newer master. Such a node does not count as lost.
   */
  readonly unprepared: boolean;
  /**
   * Whether an unprepared node is being set up after a silence, and has not answered yet whether it can be prepared;
   * default false. If such a node is lost, it stays lost.
   */
  readonly isSettingUp?: boolean;
  /** The provider's location code, such as `nbg1`; null for the master's own machine. */
  readonly location: string | null;
  /** Address at which players and the balancer reach the node's services; empty until the provider assigns one. */
  readonly address: string;
  /** RAM for services (MB, 2^20 bytes). */
  readonly ramMb: number;
  /** Maximum number of services that are prepared or started in parallel. */
  readonly startBudget: number;
  /** Whether a Java runtime was found on the node. */
  readonly hasJava: boolean;
  /** Whether services run under the master's own user, without isolation; default false. */
  readonly sharesUser?: boolean;
  /** Rental of a cloud node; null for the master's own machine. */
  readonly rental: NodeSnapshot['rental'];
  /**
   * Whether the provider has not confirmed yet that the server of the cloud node exists, so that it may never be paid
   * for; default false. The node is ORDERED then, or DELETING if its order is being withdrawn.
   */
  readonly isUnconfirmed?: boolean;
  /** Whether the cloud node did not become ready in time but is kept; default false. */
  readonly isOverdue?: boolean;
}

/**
 * Minimum time for which a READY node must be unreachable before it is considered lost (ms). A reboot, which takes
 * about 30 s, must not count as a loss.
 */
export const SILENCE_GRACE_MS = 60_000;

/** What can be ordered from a provider. The master configuration limits it further. */
export type Supply = Omit<Market, 'locations' | 'serverType' | 'blockedServers'>;

/** An order for a cloud node. */
export interface NodeOrder {
  /**
   * Id of the node. It is chosen by the master and used as a name at the provider, so that the node is found again
   * after a crash.
   */
  readonly node: string;
  /** Full type name, such as `cpx32`. */
  readonly type: string;
  readonly location: string;
  /** RAM that the node will have for services (MB). */
  readonly ramMb: number;
}

/**
 * All nodes: the master's own machine and the cloud nodes.
 *
 * Orders and releases are recorded on disk before the provider receives a request. From then on, {@link
 * NodeRegistry.nodes} lists the node as ORDERED or DELETING, so that no later round repeats the request.
 */
export interface NodeRegistry {
  /**
   * Returns all known nodes without sending a request. The list is complete: a node that is not listed no longer
   * exists. While the provider cannot be reached, the last known nodes are listed.
   */
  nodes(): readonly NodeInfo[];
  /**
   * Updates the state; called regularly by the control loop. It returns quickly, because requests run in the
   * background.
   */
  refresh(): Promise<void>;
  /** Reports whether all nodes are known. This is false shortly after the master's start, for example. */
  listed(): boolean;
  /** Returns why nodes may be unknown or requests are refused, as one sentence; null if there is no problem. */
  trouble(): string | null;
  /** Returns what can be ordered; null if no node can be ordered. */
  market(): Supply | null;
  /**
   * Orders a node. Resolves once the provider has created its server; the node boots afterwards.
   *
   * @throws OverworldError ORDER_REFUSED, PROVIDER_UNREACHABLE (the outcome is unknown), DISK_FULL
   */
  order(order: NodeOrder): Promise<void>;
  /**
   * Deletes a node. Resolves once the provider has deleted it. Does nothing if it no longer exists.
   *
   * @throws OverworldError RELEASE_REFUSED, PROVIDER_UNREACHABLE (the deletion is retried), DISK_FULL
   */
  release(node: string, requester: ReleaseRequester): Promise<void>;
  /**
   * Returns the servers of other networks in the provider's project. Returns the same array object until the list
   * changes.
   */
  foreignServers(): readonly ForeignServer[];
  /**
   * Deletes a server of another network. @throws OverworldError NODE_NOT_FOUND, RELEASE_REFUSED, PROVIDER_UNREACHABLE
   */
  deleteForeignServer(server: Pick<ForeignServer, 'name' | 'network'>): Promise<void>;
  /** Reports whether this master has started to release the node, for any reason. Ids of nodes are never reused. */
  hasReleased(node: string): boolean;
  /**
   * Stores a problem that the last observation of a reachable node's services found. The problem is shown as the
   * node's note, unless the node already has a note.
   *
   * @param problem one sentence; null if there is no problem
   */
  setProblem(node: string, problem: string | null): void;
}
