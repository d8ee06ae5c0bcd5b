import type { ServiceSnapshot } from '#master/core/snapshot/snapshot.ts';
import type { NodeState } from '#shared/model/node.ts';
import type { ServiceId, ServiceState } from '#shared/model/service.ts';
import type { NodeType, TemplateModel } from './network.ts';

/** Person who plays on a service or waits for a service. */
export interface Player {
  readonly template: number;
  readonly bot: boolean;
  /** Remaining length of the player's stay (ms). Only valid while the player is not on a service. */
  stayMs: number;
  /** Time since which the player has been waiting (ms since epoch); null while the player is on a service. */
  waitsSince: number | null;
  service: SimService | null;
  /** Time at which the player will leave the service (ms since epoch). */
  leavesAt: number;
}

/** Actual state of a service. A policy receives only a snapshot of the service. */
export interface SimService {
  readonly id: ServiceId;
  readonly model: TemplateModel;
  readonly ramMb: number;
  readonly requestedAt: number;
  readonly players: Set<Player>;
  state: ServiceState;
  node: SimNode | null;
  unusedSince: number | null;
  /** Time since which the service is up (ms since epoch); null if it is not up yet. */
  upSince: number | null;
  stopping: boolean;
  unresponsive: boolean;
  /** Whether the service has exited. If it has, events that were planned before its exit are ignored. */
  gone: boolean;
  /** Cached snapshot of the service. Null after a change of the service. */
  seen: ServiceSnapshot | null;
}

/** Actual state of a cloud node. */
export interface SimNode {
  readonly id: string;
  readonly type: NodeType;
  readonly orderedAt: number;
  readonly services: Set<SimService>;
  state: NodeState;
  /** Whether the machine has stopped answering. Some time later, the master marks the node as LOST. */
  silent: boolean;
  drainedByRules: boolean;
  allocatedMb: number;
  /** Number of services on the node that have players. */
  inUse: number;
  deletedAt: number | null;
}

/** Thrown if a policy requests an impossible action, which is a bug in the policy. */
export class ForbiddenAction extends Error {
  override readonly name = 'ForbiddenAction';
}
