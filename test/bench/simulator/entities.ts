import type { ServiceSnapshot } from '#master/core/snapshot/snapshot.ts';
import type { NodeState } from '#shared/model/node.ts';
import type { ServiceId, ServiceState } from '#shared/model/service.ts';
import type { NodeType, TemplateModel } from './network.ts';

/** Somebody who is on a service or waits for one. */
export interface Player {
  readonly template: number;
  readonly bot: boolean;
  /** What is left of their stay while they are not on a service, ms. */
  stayMs: number;
  /** Since when they wait; null while they play. */
  waitsSince: number | null;
  service: SimService | null;
  /** When they leave, while they play. */
  leavesAt: number;
}

/** A service as it really is. What a policy sees of it is a snapshot. */
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
  /** Has ended: what is still on the agenda for it means nothing. */
  gone: boolean;
  /** Its snapshot, until something about it changes. */
  seen: ServiceSnapshot | null;
}

/** A rented machine as it really is. */
export interface SimNode {
  readonly id: string;
  readonly type: NodeType;
  readonly orderedAt: number;
  readonly services: Set<SimService>;
  state: NodeState;
  /** Its machine has stopped answering; the master calls it LOST after a while. */
  silent: boolean;
  drainedByRules: boolean;
  allocatedMb: number;
  /** Services with players. */
  inUse: number;
  deletedAt: number | null;
}

/** A policy asked for something that cannot be done: its own mistake, not the world's. */
export class ForbiddenAction extends Error {
  override readonly name = 'ForbiddenAction';
}
