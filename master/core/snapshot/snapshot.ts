import type { MasterConfig } from '#shared/config/master.ts';
import type { TemplateConfig } from '#shared/config/template.ts';
import type { Node, NodeState, Rental } from '#shared/model/node.ts';
import type { Service, ServiceState } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';

/** A template, as the planner sees it. */
export interface TemplateSnapshot {
  readonly id: TemplateId;
  readonly config: TemplateConfig;
  /** Immutable revision from which a service would be started; null if the template has none yet. */
  readonly revision: string | null;
  /** Whether files in the template's folder are being written right now. */
  readonly changing: boolean;
  readonly hasJar: boolean;
  /** Whether the template has a Java runtime of its own, so that the node needs none. */
  readonly bringsJava: boolean;
  /** Why the template's folder cannot be used, as one sentence. Null if it can be used. */
  readonly problem: string | null;
  /**
   * Number of the template's next service. Numbers are never reused, unless the template has persistent paths
   * (volumes/numbering.ts).
   */
  readonly nextNumber: number;
  /**
   * Whether automation of the template is paused: no rule requests, starts or stops its services, but they still
   * count. Services that a person requests still start.
   */
  readonly held: boolean;
  /**
   * Whether a person is deleting the template. None of its services start, unused ones are stopped, and the template
   * is removed after its last service.
   */
  readonly leaving: boolean;
  /**
   * Time before which no service of the template starts, because earlier starts failed (ms since epoch). Null if
   * there is no such wait.
   */
  readonly retryAt: number | null;
}

/** A service, as the planner sees it. */
export type ServiceSnapshot = Pick<
  Service,
  'id' | 'template' | 'node' | 'ramMb' | 'requestedAt' | 'unusedSince' | 'unresponsive'
> & {
  readonly state: ServiceState;
  /**
   * Whether the service is being stopped. It counts on its node and towards the maximum until it has exited, but
   * not as capacity.
   */
  readonly stopping: boolean;
  /**
   * Time from which the service counts as a replacement of leaving services (ms since epoch): {@link MIN_READY_MS}
   * after it came up. Null if it is not up, or if it is a proxy that waits for the link of its plugin.
   */
  readonly availableAt: number | null;
  readonly players: number;
  /**
   * Number of player slots that the service has now, or will have once it runs. If the service is empty, at least the
   * number with which it was started.
   */
  readonly maxPlayers: number;
  /** Whether a person requested the service. No rule withdraws its request while it waits. */
  readonly manual: boolean;
  /**
   * Whether a `manual` service has been up since a person requested it. It then starts only if automation of its
   * template is not paused. Default false.
   */
  readonly wasUp?: boolean;
  /** Whether automation of the service is paused: no rule starts or stops it, but it still counts. */
  readonly held: boolean;
  /**
   * Whether a person is replacing the service. It serves players until replacements are ready, and stops once no
   * player uses it.
   */
  readonly retiring: boolean;
  /**
   * Whether a person is draining the service. It accepts no more players. The control loop stops it, not a scaling
   * rule.
   */
  readonly draining: boolean;
  /**
   * Whether the service is requested again under the same id: a person is restarting it, it has failed, or it is paused
   * and stops. While `node` is set, its process is being stopped or its data is being saved; afterwards the service
   * waits for its start.
   */
  readonly restarting: boolean;
  /** Whether a `restarting` service does not start afterwards, because it is paused. Default false. */
  readonly staysStopped?: boolean;
};

export type NodeId = Node['id'];

/** A volume, as the planner sees it (docs/specification.md#persistentpaths). */
export interface VolumeSnapshot {
  /** The service that the volume belongs to. */
  readonly service: Service['id'];
  /** The only node on which the service may run. Null if the newest save contains all data. */
  readonly attachedTo: NodeId | null;
  /**
   * Whether `attachedTo` may have data that is not saved. False as long as the service's process was not started
   * there, because the node then only has a copy of the newest save.
   */
  readonly mayBeUnsaved: boolean;
  /** Node on which the service last ran, whose disk may still have most of the data. Null if unknown. */
  readonly cachedOn: NodeId | null;
  /** Why the volume cannot be used, as one or more sentences. Null if it can be used. */
  readonly problem: string | null;
  /**
   * Why the data on `attachedTo` could not be saved at the last attempt, as one or more sentences. A stop of the
   * service would fail in the same way, so no rule stops it. Null if the last save succeeded, or if nothing has to be
   * saved.
   */
  readonly unsavable: string | null;
}

/**
 * Back-off of a template on one node, after starts that failed for a reason that concerns the node, such as a full
 * disk.
 */
export interface StartBackoff {
  readonly template: TemplateId;
  /** When the last start failed (ms since epoch). */
  readonly since: number;
  /** Time before which the template does not start on this node (ms since epoch). */
  readonly retryAt: number;
  /** Why the start failed, as one sentence. */
  readonly reason: string;
  /**
   * Whether other templates can probably start on the node, because the template needs a Java that the node cannot
   * get. Default false.
   */
  readonly concernsOnlyTemplate?: boolean;
}

export interface NodeSnapshot {
  readonly id: NodeId;
  readonly state: NodeState;
  /**
   * Whether the node did not become ready in time, but is kept. The planner then does not expect its RAM. Default
   * false.
   */
  readonly isOverdue?: boolean;
  /** Whether the rules drained the node and may resume it. False if a person drained it, or if it is not DRAINING. */
  readonly drainedByRules: boolean;
  /**
   * Whether automation of the node is paused: nothing is placed on it, and no rule drains or releases it. Its RAM
   * still counts.
   */
  readonly held: boolean;
  /** Whether the node is protected: the rules never drain or release it. */
  readonly locked: boolean;
  /**
   * Whether a person is releasing the node. It is DRAINING until it is empty. It is then released at once, even if it
   * is already paid for a longer time.
   */
  readonly leaving: boolean;
  /**
   * Server type and price of the cloud node, and since when it is paid for. Null for a node that is not from a cloud
   * provider; the rules never release such a node.
   */
  readonly rental: Pick<Rental, 'type' | 'since' | 'hourlyPrice'> | null;
  /** RAM for services (MB). */
  readonly ramMb: number;
  /** Number of services that may be prepared or started at the same time. */
  readonly startBudget: number;
  /**
   * Whether and how long the node has been unreachable. `false`: it can be reached. `awaited`: it may be back before
   * a new node would be ready. `overdue`: it has been unreachable for longer. The services on an unreachable node
   * still count, and nothing is placed on it.
   */
  readonly silent: false | 'awaited' | 'overdue';
  /** Whether the node has a Java runtime. If not, only services that bring their own can start on it. */
  readonly hasJava: boolean;
  /** Failed starts that were the node's fault, at most one entry for each template. Expired entries are included. */
  readonly startBackoffs: readonly StartBackoff[];
  /**
   * Services that do not belong on the node any more, but whose files on the node are not saved. Data of volumes that
   * are attached to the node is not listed here.
   */
  readonly unsaved: readonly Service['id'][];
}

/** The cost of a cloud node: since when it is paid for, and its price per hour (EUR, without VAT). */
export type PaidNode = Pick<NonNullable<NodeSnapshot['rental']>, 'since' | 'hourlyPrice'>;

/** A cloud node that exists, is on order or is being deleted, with its price. */
export interface CloudNode {
  readonly node: NodeId;
  readonly rental: PaidNode;
}

/** Costs of the current month (UTC). */
export interface MonthCosts {
  /** Cost of the hours that have begun in this month, including those of released nodes (EUR, without VAT). */
  readonly spent: number;
  /** End of the month (ms since epoch). */
  readonly endsAt: number;
}

/** One server type in one location, as the provider offers it. */
export interface Offer {
  /** Full type name, such as `cpx32`. */
  readonly type: string;
  readonly location: string;
  /** RAM for services (MB): the installed RAM minus the RAM that the system reserves. */
  readonly ramMb: number;
  /** Price per hour (EUR, without VAT). */
  readonly hourlyPrice: number;
  readonly deprecated: boolean;
  /**
   * Time before which a sold-out type is not requested from the provider again (ms since epoch). Null if the type is
   * not sold out.
   */
  readonly soldOutUntil: number | null;
}

/** The provider's offers, and the rules of the master configuration for orders (docs/specification.md#provider). */
export interface Market {
  readonly offers: readonly Offer[];
  /**
   * Locations in which nodes are ordered, the preferred one first: `provider.location`, then `provider.locations`.
   */
  readonly locations: readonly string[];
  /** Prefix of the server types that may be ordered: `provider.server_type`. */
  readonly serverType: string;
  /** Full names of server types that are never ordered: `provider.blocked_servers`. */
  readonly blockedServers: readonly string[];
  /**
   * Why no nodes are ordered after the provider rejected an order or did not answer, and until when (`until`, ms since
   * epoch; null if a person must act, or while the provider is being asked again). Null while orders are not paused.
   */
  readonly paused: { readonly message: string; readonly until: number | null } | null;
  /** Number of the next node, `node-<n>`. Numbers are never reused. */
  readonly nextNumber: number;
}

/** The input of one planning round. Times are in ms since epoch. */
export interface Snapshot {
  readonly now: number;
  readonly templates: readonly TemplateSnapshot[];
  readonly services: readonly ServiceSnapshot[];
  readonly nodes: readonly NodeSnapshot[];
  /**
   * Volumes, which contain the data of services of templates with persistent paths
   * (docs/specification.md#persistentpaths).
   */
  readonly volumes: readonly VolumeSnapshot[];
  /** Player limit of the network: `max_online_players` (docs/specification.md#max_online_players). */
  readonly maxOnlinePlayers: number;
  /**
   * Number of players on the network as its proxies count them. Null if there are no proxies; then the players on
   * the services are added up.
   */
  readonly playersOnProxies: number | null;
  /**
   * Whether services that the master has just adopted have not reported their players yet. All numbers of players may
   * then be too small, so no service stops because it is unused.
   */
  readonly awaitsReports: boolean;
  /** Whether configure mode is on (`provider.configure_mode`): then no rule orders, drains or releases a node. */
  readonly configureMode: boolean;
  /** `provider.upscaling_at_percent_capacity`: load at which nodes are ordered (percent). */
  readonly upscalingAtPercent: number;
  /** Limits for orders (docs/specification.md#limits-of-the-budget); -1 means no limit. */
  readonly limits: MasterConfig['limits'];
  readonly month: MonthCosts;
  /** Offers of the provider, and rules for orders. Null if no provider is set up; no nodes can be ordered then. */
  readonly market: Market | null;
}

/**
 * Compares templates by `priority`: the smaller value comes first (docs/specification.md#priority), ties by id.
 *
 * Example: a template with priority 0 comes before one with priority 1.
 */
export function byPriority(a: TemplateSnapshot, b: TemplateSnapshot): number {
  return a.config.priority - b.config.priority || (a.id < b.id ? -1 : 1);
}

/**
 * Reports whether a service is joinable and empty, as `minimumRunningServers` requires. A service that does not
 * answer status pings is not joinable.
 */
export function isReady(service: ServiceSnapshot): boolean {
  return service.state === 'RUNNING' && !service.stopping && !service.restarting && !service.unresponsive;
}

/**
 * Returns the number of players on a service, limited to its slots, because a server may report more players than
 * it has slots.
 *
 * Example: 7 players on 5 slots → 5.
 */
export function playersOn({ players, maxPlayers }: ServiceSnapshot): number {
  return Math.min(players, maxPlayers);
}

/**
 * Reports whether a service is requested, prepared or starting, or is being stopped for a restart. False if the
 * service is being stopped for good.
 */
export function isPending(service: ServiceSnapshot): boolean {
  return !service.stopping && !isUp(service);
}

/**
 * Reports whether a service is up and not about to restart. It need not answer status pings; see {@link answers}.
 *
 * Example: RUNNING → true; RUNNING with a pending restart → false.
 */
export function isUp({ state, restarting }: ServiceSnapshot): boolean {
  return !restarting && (state === 'RUNNING' || state === 'IN_USE');
}

/**
 * Time for which a service must be up before it counts as a replacement (ms, docs/specification.md#service-states).
 * Without this time, a version that crashes shortly after its start would replace all services of a template. It is
 * what `minReadySeconds` is in Kubernetes.
 */
export const MIN_READY_MS = 15_000;

/**
 * Reports whether a service has been up for {@link MIN_READY_MS}, so that another service may stop because of it. It
 * need not answer status pings.
 *
 * @param now ms since epoch
 */
export function isAvailable(service: ServiceSnapshot, now: number): boolean {
  return isUp(service) && service.availableAt !== null && service.availableAt <= now;
}

/** Reports whether a service is up, is not being stopped for a restart, and answers status pings. */
export function answers(service: ServiceSnapshot): boolean {
  return isUp(service) && !service.unresponsive;
}

/** Reports whether the service's process is being stopped for a restart. */
export function isStoppingForRestart({ restarting, node }: ServiceSnapshot): boolean {
  return restarting && node !== null;
}

/** Reports whether the rules may drain and release a node: it is a cloud node, neither paused nor protected. */
export function isReleasable({ rental, held, locked }: NodeSnapshot): boolean {
  return rental !== null && !held && !locked;
}

/** Reports whether a service occupies RAM on a node: from its placement until it has exited, in every state. */
export function isPlaced(service: ServiceSnapshot): service is ServiceSnapshot & { readonly node: string } {
  return service.node !== null;
}
