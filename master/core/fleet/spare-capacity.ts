import type { TemplateId } from '#shared/model/template.ts';
import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import type { NodeCapacity } from '../placement/capacity-list.ts';
import { NodeCapacities } from '../placement/node-capacities.ts';
import { byPriority, type NodeId, type NodeSnapshot, type Snapshot } from '../snapshot/snapshot.ts';
import { closedNodes } from '../placement/node-backoff.ts';
import type { Starts } from '../placement/starts.ts';
import type { Demand, PendingService } from './demand.ts';
import { isFull, isBelowThreshold, plus, type Load } from './load.ts';
import { counts, loadOf, allocatedOn } from './need.ts';

/**
 * What the other nodes could take if a node were released. It counts everything that will need room: services on
 * all nodes, also on draining ones, and requested services. It shrinks with each released node.
 */
export class SpareCapacity {
  readonly #index: SnapshotIndex;
  readonly #thresholdPercent: number;
  readonly #demand: Demand;
  readonly #places: Places;
  /** Whether every pending service has room. If not, no node is spare. */
  readonly #enough: boolean;
  #load: Load;

  /**
   * @param pending services that have no node yet
   * @param demand what each template would want more of if services were removed
   */
  constructor(
    index: SnapshotIndex,
    { startedMb, capacities }: Starts,
    { pending, demand }: { readonly pending: readonly PendingService[]; readonly demand: Demand },
  ) {
    const { nodes, upscalingAtPercent } = index.snapshot;
    this.#index = index;
    this.#thresholdPercent = upscalingAtPercent;
    this.#demand = demand;
    const emptying = nodes.filter(({ state }) => state === 'DRAINING');
    const comingMb = pending.reduce((sum, { ramMb }) => sum + ramMb, startedMb);
    this.#load = [
      loadOf(nodes.filter(counts), index),
      { allocatedMb: loadOf(emptying, index).allocatedMb + comingMb, totalMb: 0 },
    ].reduce(plus);
    this.#places = new Places(capacities, index.snapshot);
    this.#enough = this.#places.house(pending);
  }

  /** RAM that is needed and RAM of the nodes that stay (MB). */
  get load(): Load {
    return this.#load;
  }

  /** Returns the load without one node. Its services count as moved to the other nodes unchanged. */
  loadWithout(node: NodeSnapshot): Load {
    return plus(this.#load, { allocatedMb: 0, totalMb: -node.ramMb });
  }

  /** Reports whether everything pending has room on the nodes that stay, below the threshold. */
  suffices(): boolean {
    return this.#enough && !isFull(this.#load, this.#thresholdPercent);
  }

  /**
   * Reports whether the load stays well below the threshold without this node. This is a first check: only {@link
   * give} decides whether its services fit elsewhere.
   */
  isSpare(node: NodeSnapshot): boolean {
    return this.#enough && isBelowThreshold(this.loadWithout(node), this.#thresholdPercent);
  }

  /**
   * Counts a node as removed if the others have room for everything that would be needed then.
   *
   * @returns false if they do not, and nothing is counted
   */
  give(node: NodeSnapshot): boolean {
    const { services } = this.#index.onNode(node.id);
    // Services that leave anyway no longer count in their template, and their replacements are already pending.
    const leaving = services.filter((one) => !one.stopping && this.#index.leaving(one) === null);
    const moved = this.#demand.replacements(leaving);
    const movedMb = moved.reduce((sum, { ramMb }) => sum + ramMb, 0);
    const load = plus(this.loadWithout(node), {
      allocatedMb: movedMb - allocatedOn(node, this.#index),
      totalMb: 0,
    });
    if (!isBelowThreshold(load, this.#thresholdPercent) || !this.#places.moveOff(node.id, moved))
      return false;
    this.#load = load;
    this.#demand.give(leaving);
    return true;
  }
}

interface Guest {
  readonly service: PendingService;
  /** The node's capacity before the service was placed, and after it. */
  readonly before: NodeCapacity;
  readonly after: NodeCapacity;
}

interface Turn {
  readonly turn: number;
  readonly bringsJava: boolean;
  /** Nodes on which starts of this template failed. */
  readonly closed: ReadonlySet<NodeId>;
}

/** For services whose template no longer exists. */
const LAST: Turn = { turn: Number.MAX_SAFE_INTEGER, bringsJava: false, closed: new Set() };

/**
 * Node capacities on which services are placed tentatively. The start budget is ignored, as these services arrive
 * over time.
 */
class Places {
  readonly #capacities: NodeCapacities;
  readonly #roomOf: Map<NodeId, NodeCapacity>;
  /** Templates in the order in which their services are placed. */
  readonly #turns: ReadonlyMap<TemplateId, Turn>;
  /** Services that were tentatively placed on a node. They have to move if that node is removed. */
  readonly #guests = new Map<NodeId, PendingService[]>();

  constructor(capacities: NodeCapacities, snapshot: Snapshot) {
    const all = capacities.all().map((capacity) => ({ ...capacity, startsLeft: Infinity }));
    this.#capacities = new NodeCapacities(all);
    this.#roomOf = new Map(all.map((capacity) => [capacity.node, capacity]));
    const inTurn = snapshot.templates.toSorted(byPriority);
    this.#turns = new Map(
      inTurn.map(({ id, bringsJava }, turn) => [id, { turn, bringsJava, closed: closedNodes(snapshot, id) }]),
    );
  }

  /** Places all of these services or none, in order of priority and with best fit. */
  house(services: readonly PendingService[]): boolean {
    const placed: Guest[] = [];
    for (const service of services.toSorted((a, b) => this.#turnOf(a).turn - this.#turnOf(b).turn)) {
      const { bringsJava, closed } = this.#turnOf(service);
      const before = this.#capacities.bestFit(service.ramMb, bringsJava, closed);
      if (before === undefined) {
        for (const guest of placed.reverse()) this.#undo(guest);
        return false;
      }
      const after = this.#capacities.take(before, service.ramMb);
      this.#roomOf.set(after.node, after);
      placed.push({ service, before, after });
    }
    for (const { service, after } of placed) {
      this.#guests.set(after.node, [...(this.#guests.get(after.node) ?? []), service]);
    }
    return true;
  }

  /**
   * Closes a node and places the services on it, and those that were tentatively placed there, on other nodes.
   * Changes nothing if they do not all fit.
   */
  moveOff(node: NodeId, services: readonly PendingService[]): boolean {
    const capacity = this.#roomOf.get(node);
    if (capacity !== undefined) this.#capacities.remove(capacity);
    if (this.house([...services, ...(this.#guests.get(node) ?? [])])) return true;
    if (capacity !== undefined) this.#capacities.add(capacity);
    return false;
  }

  #turnOf({ template }: PendingService): Turn {
    return this.#turns.get(template) ?? LAST;
  }

  #undo({ before, after }: Guest): void {
    this.#capacities.remove(after);
    this.#capacities.add(before);
    this.#roomOf.set(before.node, before);
  }
}
