import type { TemplateConfig } from '#shared/config/template.ts';
import type { Node, Rental } from '#shared/model/node.ts';
import type { Service } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';

/** A template as the planner sees it. */
export interface TemplateSnapshot {
  readonly id: TemplateId;
  readonly config: TemplateConfig;
  /** Immutable content that a service would be started from; null while there is none. */
  readonly revision: string | null;
  /** Somebody writes to the folder at this moment. */
  readonly changing: boolean;
  readonly hasJar: boolean;
  /** It has a Java runtime of its own: the node needs none. */
  readonly bringsJava: boolean;
  /** Why the folder cannot be used, one sentence; null when it can. */
  readonly problem: string | null;
  /** Number of the next service; numbers are never used twice. */
  readonly nextNumber: number;
  /** Out of automation: no rule requests, starts or stops its services; they still count. What people ask for starts. */
  readonly held: boolean;
  /** A person has it deleted once its last service is gone: none is started, and those that nobody uses are stopped. */
  readonly leaving: boolean;
  /** After failed starts: none before this time (ms since epoch); null when all is well. */
  readonly retryAt: number | null;
}

/** A service as the planner sees it. */
export type ServiceSnapshot = Pick<
  Service,
  'id' | 'template' | 'state' | 'node' | 'ramMb' | 'requestedAt' | 'unusedSince' | 'unresponsive'
> & {
  /** Being ended: it counts on its node and towards the cap until it is gone, but helps nobody. */
  readonly stopping: boolean;
  readonly players: number;
  /** Player slots it has, or will have once it runs. */
  readonly maxPlayers: number;
  /** A person asked for it: not withdrawn while it waits. */
  readonly manual: boolean;
  /** Out of automation: neither started nor stopped by a rule; it still counts. */
  readonly held: boolean;
  /** A person has it replaced: it serves until others are ready for it, and is stopped once nobody uses it. */
  readonly retiring: boolean;
  /** A person has it emptied: it takes no players any more, and is stopped outside of the rules. */
  readonly draining: boolean;
  /** A person has it begun again under its id: with a node it is being ended for that, else it waits for its start. */
  readonly restarting: boolean;
};

export type NodeId = Node['id'];

/** Starts of a template that failed on a node for the node's reason, such as its full disk. */
export interface StartBackoff {
  readonly template: TemplateId;
  /** When the last one failed, ms since epoch. */
  readonly since: number;
  /** No start of the template on this node before this time, ms since epoch. */
  readonly retryAt: number;
  /** Why it failed, one sentence. */
  readonly reason: string;
}

export interface NodeSnapshot {
  readonly id: NodeId;
  readonly state: Node['state'];
  /** The rules drained it and may resume it; false when a person did, or it is not DRAINING. */
  readonly drainedByRules: boolean;
  /** Out of automation: nothing is placed on it, it is neither drained nor released; its RAM still counts. */
  readonly held: boolean;
  /** Never drained or released by the rules. */
  readonly locked: boolean;
  /** A person gives it back: once it is empty, whatever is paid for. It is DRAINING until then. */
  readonly leaving: boolean;
  /** Null for a machine of one's own: never released. */
  readonly rental: Pick<Rental, 'type' | 'since' | 'hourlyPrice'> | null;
  /** RAM for services, MB. */
  readonly ramMb: number;
  /** Services that may be prepared or started at the same time. */
  readonly startBudget: number;
  /**
   * Nobody can look at it: what is on it counts, and nothing is placed there. `awaited` for a moment, in which it may be
   * back before another one would be there; `overdue` for longer.
   */
  readonly silent: false | 'awaited' | 'overdue';
  /** False when services cannot start for want of a Java runtime. */
  readonly hasJava: boolean;
  /** Failed starts that were the node's fault, at most one for each template; also those that are over. */
  readonly startBackoffs: readonly StartBackoff[];
}

/** One server type in one location, as the provider sells it. */
export interface Offer {
  /** Full type name, such as `cpx32`. */
  readonly type: string;
  readonly location: string;
  /** RAM it would have for services, MB: what is built in less what the system keeps. */
  readonly ramMb: number;
  /** Net price of an hour, EUR. */
  readonly hourlyPrice: number;
  readonly deprecated: boolean;
  /** The provider had none of it: not asked again before this time (ms since epoch). */
  readonly soldOutUntil: number | null;
}

/** Where nodes are ordered, and by which rules of the master configuration (docs/specification.md#provider, `provider`). */
export interface Market {
  readonly offers: readonly Offer[];
  /** `provider.location` */
  readonly location: string;
  /** `provider.server_type`: a prefix. */
  readonly serverType: string;
  /** `provider.blocked_servers`: full type names. */
  readonly blockedServers: readonly string[];
  /** The provider refused: nothing is ordered before `until` (ms since epoch; null: until a person has helped). */
  readonly paused: { readonly message: string; readonly until: number | null } | null;
  /** Number of the next node: `node-<n>`; numbers are never used twice. */
  readonly nextNumber: number;
}

/** All that one round knows. Times are ms since epoch. */
export interface Snapshot {
  readonly now: number;
  readonly templates: readonly TemplateSnapshot[];
  readonly services: readonly ServiceSnapshot[];
  readonly nodes: readonly NodeSnapshot[];
  /** `max_online_players` (docs/specification.md#max_online_players). */
  readonly maxOnlinePlayers: number;
  /** Players on the network as its proxies count them; null without proxies: then it is those on its services. */
  readonly playersOnProxies: number | null;
  /** `provider.configure_mode`: no rule orders, drains or releases a node. */
  readonly configureMode: boolean;
  /** `provider.upscaling_at_percent_capacity`, percent. */
  readonly upscalingAtPercent: number;
  /** Null where nodes cannot be rented: no provider is set up. */
  readonly market: Market | null;
}

/** The order in which templates are served: a smaller `priority` comes first (docs/specification.md#priority), ties by id. */
export function byPriority(a: TemplateSnapshot, b: TemplateSnapshot): number {
  return a.config.priority - b.config.priority || (a.id < b.id ? -1 : 1);
}

/** Joinable and empty, as `minimumRunningServers` counts it. One that does not answer is not joinable. */
export function isReady(service: ServiceSnapshot): boolean {
  return service.state === 'RUNNING' && !service.stopping && !service.restarting && !service.unresponsive;
}

/** Players that count: a server that says it has more than it has places for is full, whatever it says. */
export function playersOn({ players, maxPlayers }: ServiceSnapshot): number {
  return Math.min(players, maxPlayers);
}

/** Requested, prepared or started, or soon requested again. */
export function isOnItsWay(service: ServiceSnapshot): boolean {
  return !service.stopping && !isUp(service);
}

/** Runs, and is not about to end. Whether it answers is another question: {@link answers}. */
export function isUp({ state, restarting }: ServiceSnapshot): boolean {
  return !restarting && (state === 'RUNNING' || state === 'IN_USE');
}

/** Up, and it can be joined now. */
export function answers(service: ServiceSnapshot): boolean {
  return isUp(service) && !service.unresponsive;
}

/** Its process is being ended, so that it can begin again. */
export function isEndingToRestart({ restarting, node }: ServiceSnapshot): boolean {
  return restarting && node !== null;
}

/** The rules may drain it and give it back: rented, and no person said otherwise. */
export function isReleasable({ rental, held, locked }: NodeSnapshot): boolean {
  return rental !== null && !held && !locked;
}

/** Takes RAM on a node: placed, whatever its state, until it is gone. */
export function isPlaced(service: ServiceSnapshot): service is ServiceSnapshot & { readonly node: string } {
  return service.node !== null;
}
