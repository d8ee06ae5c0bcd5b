import type { TemplateId } from '#shared/model/template.ts';
import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import type { NodeCapacity } from '../placement/capacity-list.ts';
import { NodeCapacities } from '../placement/node-capacities.ts';
import { byPriority, type NodeId, type NodeSnapshot, type Snapshot } from '../snapshot/snapshot.ts';
import { closedNodes } from '../placement/node-backoff.ts';
import type { Starts } from '../placement/starts.ts';
import type { Demand, PendingService } from './demand.ts';
import { isFull, isBelowThreshold, plus, type Load } from './load.ts';
import { countsTowardsCapacity, loadOf, allocatedOn } from './need.ts';

/** What the nodes that stay must have room for. */
interface Needs {
  /** Services that have no node yet. */
  readonly pending: readonly PendingService[];
  /** Services that wait for room, although each would fit on an existing node if it were empty. */
  readonly unschedulable: readonly PendingService[];
  /** Calculates what each template would need if services were removed. */
  readonly demand: Demand;
}

/**
 * Tracks whether the remaining nodes have room for all services after nodes are released. Counts all placed services,
 * including those on draining nodes, and all requested services. Each released node reduces the room.
 */
export class SpareCapacity {
  readonly #index: SnapshotIndex;
  readonly #thresholdPercent: number;
  readonly #demand: Demand;
  readonly #simulation: SimulatedPlacement;
  /** Whether every pending service has room. If false, no node can be spared. */
  readonly #enough: boolean;
  readonly #unschedulable: readonly PendingService[];
  readonly #given = new Set<NodeId>();
  #load: Load;

  constructor(
    index: SnapshotIndex,
    { startedMb, capacities }: Starts,
    { pending, unschedulable, demand }: Needs,
  ) {
    const { nodes, upscalingAtPercent } = index.snapshot;
    this.#index = index;
    this.#thresholdPercent = upscalingAtPercent;
    this.#demand = demand;
    this.#unschedulable = unschedulable;
    const emptying = nodes.filter(({ state }) => state === 'DRAINING');
    const comingMb = pending.reduce((sum, { ramMb }) => sum + ramMb, startedMb);
    this.#load = [
      loadOf(nodes.filter(countsTowardsCapacity), index),
      { allocatedMb: loadOf(emptying, index).allocatedMb + comingMb, totalMb: 0 },
    ].reduce(plus);
    this.#simulation = new SimulatedPlacement(capacities, index.snapshot);
    this.#enough = this.#simulation.placeAll(pending);
  }

  /** RAM that is needed and RAM of the nodes that stay (MB). */
  get load(): Load {
    return this.#load;
  }

  /**
   * Returns the load without the RAM of one node. The node's services still count, as if moved to other nodes
   * unchanged.
   */
  loadWithout(node: NodeSnapshot): Load {
    return plus(this.#load, { allocatedMb: 0, totalMb: -node.ramMb });
  }

  /**
   * Reports whether this node may help a service that has no room. An empty node helps only services that are not
   * larger than the node. A node with services may help every service, because its own services would take room on the
   * other nodes.
   *
   * Example: 9,000 MB wait for room on the master's machine; an empty node of 4,000 MB does not help.
   */
  mayHelp({ id, ramMb }: NodeSnapshot): boolean {
    const isEmpty = this.#index.onNode(id).services.length === 0;
    return !this.#enough || this.#unschedulable.some((service) => !isEmpty || service.ramMb <= ramMb);
  }

  /** Reports whether a draining node helps no service, and the load is below the threshold without it. */
  suffices(draining: NodeSnapshot): boolean {
    return !this.mayHelp(draining) && !isFull(this.#load, this.#thresholdPercent);
  }

  /**
   * Reports whether the load stays well below the threshold without this node. This is only a quick check of the
   * total RAM; {@link give} decides whether the node's services fit on the other nodes.
   */
  isSpare(node: NodeSnapshot): boolean {
    return isBelowThreshold(this.loadWithout(node), this.#thresholdPercent);
  }

  /**
   * Removes a node from the remaining nodes, if the others have room for all services that would then be needed. Does
   * nothing if the node has been removed before.
   *
   * @returns false if there is not enough room; nothing is changed then
   */
  give(node: NodeSnapshot): boolean {
    if (this.#given.has(node.id)) return true;
    const { services } = this.#index.onNode(node.id);
    // Services that are leaving no longer count for their template, and their replacements are already pending.
    const leaving = services.filter((one) => !one.stopping && this.#index.leaving(one) === null);
    const moved = this.#demand.replacements(leaving);
    const movedMb = moved.reduce((sum, { ramMb }) => sum + ramMb, 0);
    const load = plus(this.loadWithout(node), {
      allocatedMb: movedMb - allocatedOn(node, this.#index),
      totalMb: 0,
    });
    if (!isBelowThreshold(load, this.#thresholdPercent) || !this.#simulation.moveOff(node.id, moved))
      return false;
    this.#given.add(node.id);
    this.#load = load;
    this.#demand.give(leaving);
    return true;
  }
}

interface Placement {
  readonly service: PendingService;
  /** Capacity of the node before the service was placed on it. `after` is the capacity with the service. */
  readonly before: NodeCapacity;
  readonly after: NodeCapacity;
}

interface TemplatePosition {
  readonly position: number;
  readonly bringsJava: boolean;
  /** Nodes on which starts of this template failed. */
  readonly closed: ReadonlySet<NodeId>;
}

/** Position for services whose template no longer exists: they are placed last. */
const LAST: TemplatePosition = { position: Number.MAX_SAFE_INTEGER, bringsJava: false, closed: new Set() };

/**
 * Simulates the placement of services on the nodes. Ignores the start budget, because these services start at
 * different times.
 */
class SimulatedPlacement {
  readonly #capacities: NodeCapacities;
  readonly #roomOf: Map<NodeId, NodeCapacity>;
  /** Positions of the templates in the sequence in which services are placed. */
  readonly #positions: ReadonlyMap<TemplateId, TemplatePosition>;
  /** Services that the simulation placed on a node. They have to move if that node is removed. */
  readonly #placedOn = new Map<NodeId, PendingService[]>();

  constructor(capacities: NodeCapacities, snapshot: Snapshot) {
    const all = capacities.all().map((capacity) => ({ ...capacity, startsLeft: Infinity }));
    this.#capacities = new NodeCapacities(all);
    this.#roomOf = new Map(all.map((capacity) => [capacity.node, capacity]));
    const sorted = snapshot.templates.toSorted(byPriority);
    this.#positions = new Map(
      sorted.map(({ id, bringsJava }, position) => [
        id,
        { position, bringsJava, closed: closedNodes(snapshot, id) },
      ]),
    );
  }

  /**
   * Places all of these services, sorted by priority, or none of them. Each service goes to the node with the least
   * free RAM that is enough.
   *
   * @returns whether the services were placed
   */
  placeAll(services: readonly PendingService[]): boolean {
    const placed: Placement[] = [];
    for (const service of services.toSorted(
      (a, b) => this.#positionOf(a).position - this.#positionOf(b).position,
    )) {
      const { bringsJava, closed } = this.#positionOf(service);
      const before = this.#capacities.bestFit(service.ramMb, bringsJava, closed);
      if (before === undefined) {
        for (const placement of placed.reverse()) this.#undo(placement);
        return false;
      }
      const after = this.#capacities.take(before, service.ramMb);
      this.#roomOf.set(after.node, after);
      placed.push({ service, before, after });
    }
    for (const { service, after } of placed) {
      this.#placedOn.set(after.node, [...(this.#placedOn.get(after.node) ?? []), service]);
    }
    return true;
  }

  /**
   * Closes a node and moves its services to other nodes: the given services, and those that the simulation placed
   * there. Returns false and changes nothing if they do not all fit.
   */
  moveOff(node: NodeId, services: readonly PendingService[]): boolean {
    const capacity = this.#roomOf.get(node);
    if (capacity !== undefined) this.#capacities.remove(capacity);
    if (this.placeAll([...services, ...(this.#placedOn.get(node) ?? [])])) return true;
    if (capacity !== undefined) this.#capacities.add(capacity);
    return false;
  }

  #positionOf({ template }: PendingService): TemplatePosition {
    return this.#positions.get(template) ?? LAST;
  }

  #undo({ before, after }: Placement): void {
    this.#capacities.remove(after);
    this.#capacities.add(before);
    this.#roomOf.set(before.node, before);
  }
}
