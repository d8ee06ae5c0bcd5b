import type { NetworkModel } from './network.ts';
import type { World } from './world.ts';

/**
 * What paid node-hours were used for, in node-hours; together they are what was paid.
 * A node-hour is split by RAM: 1,399 of 7,168 MB for half an hour are 0.098 node-hours.
 */
export type Uses = Readonly<Record<Use, number>>;

export const uses = [
  /** The fewest services that could seat those who were there. */
  'players',
  /** Empty services kept ready, up to `minimumRunningServers`. */
  'minimum',
  /** Services in use beyond the fewest: players stay where they are. */
  'pinning',
  /** Ready services beyond the minimum: headroom of the template, or not yet stopped. */
  'surplus',
  /** Services that are prepared, started or stopped. */
  'changing',
  /** RAM that is free on READY nodes: headroom of the fleet, and gaps too small. */
  'free',
  /** RAM that is free on DRAINING nodes. */
  'draining',
  /** Nodes from their order until they are READY. */
  'booting',
  /** Nodes that are being deleted, or lost. */
  'leaving',
  /** Paid after the deletion until the hour was full, or after the end of the trace. */
  'hour-tail',
] as const;
type Use = (typeof uses)[number];

const HOUR_MS = 3_600_000;

/** Sums up what the paid RAM is used for. Between two looks it is taken as it was at the first. */
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

  /** Books the time since the last look. */
  note(): void {
    const ms = this.#world.agenda.now - this.#since;
    for (const [use, mb] of this.#share) this.#mbMs.set(use, (this.#mbMs.get(use) ?? 0) + mb * ms);
    this.lookAgain();
  }

  /** Looks at what RAM is used for now. */
  lookAgain(): void {
    this.#since = this.#world.agenda.now;
    this.#share = this.#look();
  }

  /** @param nodeHours what was paid: what is not explained by use was paid for no use */
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
