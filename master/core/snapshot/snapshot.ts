import type { TemplateConfig } from '#shared/config/template.ts';
import type { Node, Rental } from '#shared/model/node.ts';
import type { Service } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';

/** A template, as the planner sees it. */
export interface TemplateSnapshot {
  readonly id: TemplateId;
  readonly config: TemplateConfig;
  /** Immutable revision from which a service would be started; null while there is none. */
  readonly revision: string | null;
  /** Whether the folder is being written to right now. */
  readonly changing: boolean;
  readonly hasJar: boolean;
  /** Whether the template has a Java runtime of its own, so that the node needs none. */
  readonly bringsJava: boolean;
  /** Why the folder cannot be used, as one sentence; null if it can. */
  readonly problem: string | null;
  /** Number of the next service. Numbers are never reused. */
  readonly nextNumber: number;
  /**
   * Whether automation is paused: no rule requests, starts or stops its services, but they still count. Services
   * that a person asks for still start.
   */
  readonly held: boolean;
  /**
   * Whether a person deletes the template. No service of it starts, unused ones are stopped, and it is removed with
   * its last service.
   */
  readonly leaving: boolean;
  /** No service starts before this time, because starts failed (ms since epoch); null if none failed. */
  readonly retryAt: number | null;
}

/** A service, as the planner sees it. */
export type ServiceSnapshot = Pick<
  Service,
  'id' | 'template' | 'state' | 'node' | 'ramMb' | 'requestedAt' | 'unusedSince' | 'unresponsive'
> & {
  /**
   * Whether it is being stopped. It counts on its node and towards the cap until it has exited, but not as
   * capacity.
   */
  readonly stopping: boolean;
  readonly players: number;
  /** Player slots it has now, or will have once it runs. */
  readonly maxPlayers: number;
  /** Whether a person asked for it. Its request is not withdrawn while it waits. */
  readonly manual: boolean;
  /** Whether automation is paused: no rule starts or stops it, but it still counts. */
  readonly held: boolean;
  /**
   * Whether a person has it replaced. It serves players until replacements are ready, and stops once no player uses
   * it.
   */
  readonly retiring: boolean;
  /** Whether a person drains it. It accepts no more players; the control loop stops it, not a scaling rule. */
  readonly draining: boolean;
  /**
   * Whether a person restarts it under the same id. While `node` is set its process is being stopped; after that it
   * waits for its start.
   */
  readonly restarting: boolean;
};

export type NodeId = Node['id'];

/** Starts of a template that failed on a node for a reason of the node, such as a full disk. */
export interface StartBackoff {
  readonly template: TemplateId;
  /** When the last start failed (ms since epoch). */
  readonly since: number;
  /** The template does not start on this node before this time (ms since epoch). */
  readonly retryAt: number;
  /** Why the start failed, as one sentence. */
  readonly reason: string;
}

export interface NodeSnapshot {
  readonly id: NodeId;
  readonly state: Node['state'];
  /** Whether the rules drained it and may resume it. False if a person did, or if it is not DRAINING. */
  readonly drainedByRules: boolean;
  /**
   * Whether automation is paused: nothing is placed on the node, and no rule drains or releases it. Its RAM still
   * counts.
   */
  readonly held: boolean;
  /** Whether the node is protected: the rules never drain or release it. */
  readonly locked: boolean;
  /**
   * Whether a person releases it. It is DRAINING until it is empty, and released then, however much time is still
   * paid for.
   */
  readonly leaving: boolean;
  /** Null for a node that is not from a cloud provider; the rules never release such a node. */
  readonly rental: Pick<Rental, 'type' | 'since' | 'hourlyPrice'> | null;
  /** RAM for services (MB). */
  readonly ramMb: number;
  /** Number of services that may be prepared or started at the same time. */
  readonly startBudget: number;
  /**
   * Whether the node cannot be reached. Its services count, and nothing is placed on it. `awaited`: it may be back
   * before a new node would be ready. `overdue`: it has been unreachable for longer.
   */
  readonly silent: false | 'awaited' | 'overdue';
  /** False if services cannot start because the node has no Java runtime. */
  readonly hasJava: boolean;
  /** Failed starts that were the node's fault, at most one for each template; expired ones included. */
  readonly startBackoffs: readonly StartBackoff[];
}

/** One server type in one location, as the provider offers it. */
export interface Offer {
  /** Full type name, such as `cpx32`. */
  readonly type: string;
  readonly location: string;
  /** RAM for services (MB): built-in RAM minus what the system reserves. */
  readonly ramMb: number;
  /** Net price per hour (EUR). */
  readonly hourlyPrice: number;
  readonly deprecated: boolean;
  /** The provider had none left: it is not asked again before this time (ms since epoch). */
  readonly soldOutUntil: number | null;
}

/** The provider's offers, and the rules of the master configuration for orders (docs/specification.md#provider). */
export interface Market {
  readonly offers: readonly Offer[];
  /** `provider.location` */
  readonly location: string;
  /** `provider.server_type`: a prefix. */
  readonly serverType: string;
  /** `provider.blocked_servers`: full type names. */
  readonly blockedServers: readonly string[];
  /**
   * Set after the provider refused an order: nothing is ordered before `until` (ms since epoch; null: until a
   * person acts).
   */
  readonly paused: { readonly message: string; readonly until: number | null } | null;
  /** Number of the next node, `node-<n>`. Numbers are never reused. */
  readonly nextNumber: number;
}

/** Everything that one round knows. Times are in ms since epoch. */
export interface Snapshot {
  readonly now: number;
  readonly templates: readonly TemplateSnapshot[];
  readonly services: readonly ServiceSnapshot[];
  readonly nodes: readonly NodeSnapshot[];
  /** `max_online_players` (docs/specification.md#max_online_players). */
  readonly maxOnlinePlayers: number;
  /** Players on the network as its proxies count them. Null without proxies; then the players on its services count. */
  readonly playersOnProxies: number | null;
  /** `provider.configure_mode`: no rule orders, drains or releases a node. */
  readonly configureMode: boolean;
  /** `provider.upscaling_at_percent_capacity`, percent. */
  readonly upscalingAtPercent: number;
  /** Null if no provider is set up, so that no nodes can be ordered. */
  readonly market: Market | null;
}

/**
 * Compares templates in the order in which they are served: smaller `priority` first
 * (docs/specification.md#priority), ties by id.
 *
 * Example: a template with priority 0 comes before one with priority 1.
 */
export function byPriority(a: TemplateSnapshot, b: TemplateSnapshot): number {
  return a.config.priority - b.config.priority || (a.id < b.id ? -1 : 1);
}

/**
 * Reports whether a service is joinable and empty, as `minimumRunningServers` counts it. A service that does not
 * answer is not joinable.
 */
export function isReady(service: ServiceSnapshot): boolean {
  return service.state === 'RUNNING' && !service.stopping && !service.restarting && !service.unresponsive;
}

/**
 * Returns the players of a service, at most its places: a server may report more players than places.
 *
 * Example: 7 players on 5 places → 5.
 */
export function playersOn({ players, maxPlayers }: ServiceSnapshot): number {
  return Math.min(players, maxPlayers);
}

/** Reports whether a service is requested, prepared, starting, or about to be requested again by a restart. */
export function isPending(service: ServiceSnapshot): boolean {
  return !service.stopping && !isUp(service);
}

/**
 * Reports whether a service is up and not about to restart. Whether it answers is decided by {@link answers}.
 *
 * Example: RUNNING → true; RUNNING with a pending restart → false.
 */
export function isUp({ state, restarting }: ServiceSnapshot): boolean {
  return !restarting && (state === 'RUNNING' || state === 'IN_USE');
}

/** Reports whether a service is up and can be joined now. */
export function answers(service: ServiceSnapshot): boolean {
  return isUp(service) && !service.unresponsive;
}

/** Reports whether its process is being stopped for a restart. */
export function isStoppingForRestart({ restarting, node }: ServiceSnapshot): boolean {
  return restarting && node !== null;
}

/** Reports whether the rules may drain and release a node: it is a cloud node, neither paused nor protected. */
export function isReleasable({ rental, held, locked }: NodeSnapshot): boolean {
  return rental !== null && !held && !locked;
}

/** Reports whether a service takes RAM on a node: it is placed, whatever its state, until it has exited. */
export function isPlaced(service: ServiceSnapshot): service is ServiceSnapshot & { readonly node: string } {
  return service.node !== null;
}
