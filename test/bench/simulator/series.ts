import type { NodeState } from '#shared/model/node.ts';
import type { ServiceState } from '#shared/model/service.ts';
import type { World } from './world.ts';

/** State of the network at one moment. */
export interface Sample {
  /** Time since the start of the trace (ms). */
  readonly at: number;
  readonly players: number;
  readonly waiting: number;
  /** Player slots of all services that can be joined. */
  readonly slots: number;
  readonly services: Readonly<Record<ServiceState | 'STOPPING', number>>;
  readonly nodes: Readonly<Record<NodeState, number>>;
  /** RAM that services take (MB). `totalMb` is the RAM of all existing nodes. */
  readonly allocatedMb: number;
  readonly totalMb: number;
}

export function sample(world: World, at: number): Sample {
  const services = { REQUESTED: 0, PREPARING: 0, STARTING: 0, RUNNING: 0, IN_USE: 0, STOPPING: 0 };
  const nodes = { ORDERED: 0, BOOTING: 0, READY: 0, CORDONED: 0, DRAINING: 0, DELETING: 0, LOST: 0 };
  let [slots, allocatedMb, totalMb] = [0, 0, 0];
  for (const { state, stopping, unresponsive, model } of world.services.all()) {
    services[stopping ? 'STOPPING' : state] += 1;
    const joinable = !stopping && !unresponsive && (state === 'RUNNING' || state === 'IN_USE');
    if (joinable) slots += model.config.maxPlayers;
  }
  for (const node of world.nodes.all()) {
    nodes[node.state] += 1;
    allocatedMb += node.allocatedMb;
    totalMb += node.type.ramMb;
  }
  const { online: players, waiting } = world.players;
  return { at, players, waiting, slots, services, nodes, allocatedMb, totalMb };
}
