import type { TemplateConfig } from '#shared/config/template.ts';
import type { Node } from '#shared/model/node.ts';
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
};

export interface NodeSnapshot {
  readonly id: string;
  readonly state: Node['state'];
  /** RAM for services, MB. */
  readonly ramMb: number;
  /** Services that may be prepared or started at the same time. */
  readonly startBudget: number;
  /** False when services cannot start for want of a Java runtime. */
  readonly hasJava: boolean;
}

/** All that one round knows. Times are ms since epoch. */
export interface Snapshot {
  readonly now: number;
  readonly templates: readonly TemplateSnapshot[];
  readonly services: readonly ServiceSnapshot[];
  readonly nodes: readonly NodeSnapshot[];
  /** `max_online_players` (spec 2.2). */
  readonly maxOnlinePlayers: number;
  /** `provider.configure_mode`: no nodes are ordered. */
  readonly configureMode: boolean;
}

/** Services of one template, in the order of their ids' numbers. */
export function servicesOf(snapshot: Snapshot, template: TemplateId): ServiceSnapshot[] {
  return snapshot.services.filter((service) => service.template === template);
}

/** Joinable and empty, as `minimumRunningServers` counts it. One that does not answer is not joinable. */
export function isReady(service: ServiceSnapshot): boolean {
  return service.state === 'RUNNING' && !service.stopping && !service.unresponsive;
}

export function isOnItsWay(service: ServiceSnapshot): boolean {
  return !service.stopping && service.state !== 'RUNNING' && service.state !== 'IN_USE';
}

/** Takes RAM on a node: placed, whatever its state, until it is gone. */
export function isPlaced(service: ServiceSnapshot): service is ServiceSnapshot & { readonly node: string } {
  return service.node !== null;
}
