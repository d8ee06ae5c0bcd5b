import type { NetworkModel } from './network.ts';
import type { World } from './world.ts';

/**
 * Node-hours by use. The sum of all uses equals the paid node-hours. The services on a node divide its node-hours by
 * their RAM.
 *
 * Example: a service of 1,399 MB on a node of 7,168 MB uses 0.098 node-hours in half an hour.
 */
export type Uses = Readonly<Record<Use, number>>;

export const uses = [
  /** Services that players need: the minimum number of services with room for all players. */
  'players',
  /** Empty services that are kept ready, up to `minimumRunningServers`. */
  'minimum',
  /** Services with players in addition to this minimum number. They exist because players are not moved. */
  'pinning',
  /** Ready services beyond `minimumRunningServers`: headroom of the template, or services that will be stopped. */
  'surplus',
  /** Services that are being prepared, started or stopped. */
  'changing',
  /** Free RAM on READY nodes: headroom of the fleet, and gaps that are too small for a service. */
  'free',
  /** Free RAM on DRAINING nodes. */
  'draining',
  /** Nodes between their order and READY. */
  'booting',
  /** Nodes that are lost or being deleted. */
  'leaving',
  /** Paid time after the deletion of a node until the end of its hour, or after the end of the trace. */
  'hour-tail',
] as const;
type Use = (typeof uses)[number];

const HOUR_MS = 3_600_000;

/**
 * Sums up the uses of the paid RAM. For the time between two observations, the use at the first observation counts.
 */
export class Attribution {
  readonly #world: World;
  readonly #network: NetworkModel;
  readonly #mbMs = new Map<Use, number>();
  #share = new Map<Use, number>();
  #since: number;

  constructor(world: World, network: NetworkModel) {
    this.#world = world;
    this.#network = network;
    this.#since = world.agenda.now;
  }

  /** Adds the time since the last observation to the sums, and observes the current use. */
  note(): void {
    const ms = this.#world.agenda.now - this.#since;
    for (const [use, mb] of this.#share) this.#mbMs.set(use, (this.#mbMs.get(use) ?? 0) + mb * ms);
    this.lookAgain();
  }

  /** Observes the current use of RAM. */
  lookAgain(): void {
    this.#since = this.#world.agenda.now;
    this.#share = this.#look();
  }

  /**
   * Returns the sums.
   *
   * @param nodeHours paid node-hours; node-hours without a known use count as `hour-tail`
   */
  sum(nodeHours: number): Uses {
    const nodeMb = this.#network.nodeTypes[0]?.ramMb ?? 1;
    const used = uses.map((use): [Use, number] => [use, (this.#mbMs.get(use) ?? 0) / nodeMb / HOUR_MS]);
    const explained = used.reduce((sum, [, hours]) => sum + hours, 0);
    return { ...(Object.fromEntries(used) as Record<Use, number>), 'hour-tail': nodeHours - explained };
  }

  #look(): Map<Use, number> {
    const share = new Map<Use, number>();
    const add = (use: Use, mb: number): void => void share.set(use, (share.get(use) ?? 0) + mb);
    for (const { type, state, allocatedMb } of this.#world.nodes.all()) {
      if (state === 'ORDERED' || state === 'BOOTING') add('booting', type.ramMb);
      else if (state === 'DELETING' || state === 'LOST') add('leaving', type.ramMb - allocatedMb);
      else add(state === 'DRAINING' ? 'draining' : 'free', type.ramMb - allocatedMb);
    }
    for (const { model, ramMb, inUse, ready, changing, players } of this.#byTemplate()) {
      const fewest = Math.min(inUse, Math.ceil(players / model.config.maxPlayers));
      const minimum = Math.min(ready, model.config.minimumRunningServers);
      add('players', fewest * ramMb);
      add('pinning', (inUse - fewest) * ramMb);
      add('minimum', minimum * ramMb);
      add('surplus', (ready - minimum) * ramMb);
      add('changing', changing * ramMb);
    }
    return share;
  }

  #byTemplate() {
    const counts = this.#network.templates.map((model) => ({
      model,
      ramMb: 0,
      inUse: 0,
      ready: 0,
      changing: 0,
      players: 0,
    }));
    const byModel = new Map(counts.map((one) => [one.model, one]));
    for (const { model, ramMb, state, stopping, node, players } of this.#world.services.all()) {
      const one = byModel.get(model);
      if (one === undefined || node === null) continue;
      one.ramMb = ramMb;
      one.players += players.size;
      if (stopping || state === 'PREPARING' || state === 'STARTING') one.changing += 1;
      else if (state === 'IN_USE') one.inUse += 1;
      else one.ready += 1;
    }
    return counts;
  }
}
