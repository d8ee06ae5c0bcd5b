import type { ServiceSnapshot } from '#master/core/snapshot/snapshot.ts';
import type { NodeState } from '#shared/model/node.ts';
import type { ServiceId, ServiceState } from '#shared/model/service.ts';
import type { NodeType, TemplateModel } from './network.ts';

/** A person who is on a service or waits for one. */
export interface Player {
  readonly template: number;
  readonly bot: boolean;
  /** Remaining time of their stay while they are not on a service (ms). */
  stayMs: number;
  /** Since when they wait (ms since epoch); null while they play. */
  waitsSince: number | null;
  service: SimService | null;
  /** When they leave, while they play (ms since epoch). */
  leavesAt: number;
}

/** The true state of a service. A policy sees only a snapshot of it. */
export interface SimService {
  readonly id: ServiceId;
  readonly model: TemplateModel;
  readonly ramMb: number;
  readonly requestedAt: number;
  readonly players: Set<Player>;
  state: ServiceState;
  node: SimNode | null;
  unusedSince: number | null;
  stopping: boolean;
  unresponsive: boolean;
  /** Whether it has exited. Events that are still planned for it are ignored. */
  gone: boolean;
  /** Its cached snapshot, until something about it changes. */
  seen: ServiceSnapshot | null;
}

/** The true state of a cloud node. */
export interface SimNode {
  readonly id: string;
  readonly type: NodeType;
  readonly orderedAt: number;
  readonly services: Set<SimService>;
  state: NodeState;
  /** Whether its machine has stopped answering. The master marks it as LOST after a while. */
  silent: boolean;
  drainedByRules: boolean;
  allocatedMb: number;
  /** Number of services with players. */
  inUse: number;
  deletedAt: number | null;
}

/** Thrown when a policy requests something impossible, which is an error of the policy. */
export class ForbiddenAction extends Error {
  override readonly name = 'ForbiddenAction';
}
