import type { TemplateId } from '#shared/model/template.ts';
import type { NodeId, NodeSnapshot, Snapshot } from '../snapshot/snapshot.ts';
import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import type { ServiceToPlace } from '../placement/choose-node.ts';
import type { NodeCapacity } from '../placement/capacity-list.ts';
import { NodeCapacities } from '../placement/node-capacities.ts';
import {
  activeBackoffs,
  backoffOf,
  givenUpNodes,
  isLong,
  NODES_UNTIL_COMMON_CAUSE,
} from '../placement/node-backoff.ts';
import type { Starts } from '../placement/starts.ts';
import { isFull, plus, type Load } from './load.ts';

/**
 * Tracks how much RAM is missing: what the services need beyond the existing and the ordered nodes. The need shrinks
 * as nodes are resumed.
 */
export class Need {
  /**
   * `totalMb`: RAM of the READY, ordered and booting nodes. `allocatedMb`: RAM that is needed by the services on
   * these nodes and by the services that wait for a node.
   */
  load: Load;
  /** Services for which a node is ordered, booting or being resumed, each with that node. */
  readonly placed = new Map<ServiceToPlace, NodeId>();
  /**
   * Services that fit on a node that is only briefly unavailable (unreachable, or in back-off after a failed
   * start), each with that node.
   */
  readonly awaiting = new Map<ServiceToPlace, NodeId>();
  /** Services that fit on no node, sorted by priority. */
  unplaced: readonly ServiceToPlace[];
  readonly #thresholdPercent: number;
  readonly #coming: NodeCapacities;
  /** Remaining capacity of the open nodes after this round's starts. */
  readonly #open: NodeCapacities;
  readonly #snapshot: Snapshot;

  /**
   * @param unschedulable services that fit on no open node now, but would fit on an empty node; a part of
   * `starts.unschedulable`
   */
  constructor(index: SnapshotIndex, starts: Starts, unschedulable: readonly ServiceToPlace[]) {
    const { nodes, upscalingAtPercent } = index.snapshot;
    this.#thresholdPercent = upscalingAtPercent;
    this.#snapshot = index.snapshot;
    this.#open = starts.capacities;
    const wanted = [...starts.queued, ...unschedulable];
    const waitingMb = wanted.reduce((sum, { service }) => sum + service.ramMb, starts.startedMb);
    this.load = loadOf(nodes.filter(countsTowardsCapacity), index);
    this.load = plus(this.load, { allocatedMb: waitingMb, totalMb: 0 });
    const coming = nodes.filter((node) => isProvisioning(node) && !node.held);
    this.#coming = new NodeCapacities(coming.map((node) => roomLater(node, index)));
    this.unplaced = unschedulable;
    this.#place(this.placed);
  }

  /** Reports whether a node is needed: the threshold is reached, or a pending service fits nowhere. */
  exists(): boolean {
    return this.unplaced.length > 0 || isFull(this.load, this.#thresholdPercent);
  }

  /**
   * Reports whether resuming a draining node helps. It helps if the node has room for a service that fits nowhere
   * else, or if the other nodes have reached the threshold and this node has not.
   */
  isEasedBy(node: NodeSnapshot, index: SnapshotIndex): boolean {
    const { allocatedMb } = index.onNode(node.id);
    const freeMb = node.ramMb - allocatedMb;
    const fits = ({ service, template }: ServiceToPlace): boolean =>
      service.ramMb <= freeMb && (node.hasJava || template.bringsJava) && !this.#isGivenUp(node, template.id);
    if (this.unplaced.some(fits)) return true;
    const own = { allocatedMb, totalMb: node.ramMb };
    return isFull(this.load, this.#thresholdPercent) && !isFull(own, this.#thresholdPercent);
  }

  /**
   * Adds the RAM of a resumed node and of its services to the load, and moves services that fit on it to `placed`.
   */
  resume(node: NodeSnapshot, index: SnapshotIndex): void {
    this.load = plus(this.load, loadOf([node], index));
    this.#coming.add(roomLater(node, index));
    this.#place(this.placed);
  }

  /**
   * Moves to `awaiting` the services that fit on nodes that may soon accept them: nodes that have become unreachable
   * recently, and nodes with a back-off of less than 2 min after a failed start. No node is ordered for these
   * services, because a new node takes longer to boot than these waits last and costs a full hour.
   *
   * Also leaves out services for which a new node would probably not help ({@link Need.#leaveOutForMissingJava}).
   */
  awaitOthers(index: SnapshotIndex): void {
    if (this.unplaced.length === 0) return;
    const { nodes, now } = index.snapshot;
    for (const node of nodes) if (isAwaited(node)) this.#coming.add(roomLater(node, index));
    const backingOff = nodes.filter((node) => activeBackoffs(node.startBackoffs, now).length > 0);
    for (const capacity of this.#leftOn(backingOff)) this.#coming.add(capacity);
    this.#place(this.awaiting);
    this.#leaveOutForMissingJava(nodes);
  }

  /**
   * Removes from `unplaced` the services that would fit on cloud nodes without Java, if Java could not be installed on
   * three nodes or more. It would probably be missing on a new node, too. The installation on these nodes is retried.
   */
  #leaveOutForMissingJava(nodes: readonly NodeSnapshot[]): void {
    const left = this.#leftOn(nodes.filter(({ rental, hasJava }) => rental !== null && !hasJava));
    if (left.length < NODES_UNTIL_COMMON_CAUSE) return;
    const capacities = new NodeCapacities(left.map((capacity) => ({ ...capacity, hasJava: true })));
    this.unplaced = this.unplaced.filter(({ service: { ramMb } }) => {
      const capacity = capacities.bestFit(ramMb, false);
      if (capacity !== undefined) capacities.take(capacity, ramMb);
      return capacity === undefined;
    });
  }

  /** Returns what is left on those of the given nodes that are open. The start budget counts as unlimited. */
  #leftOn(nodes: readonly NodeSnapshot[]): readonly NodeCapacity[] {
    if (nodes.length === 0) return [];
    const ids = new Set(nodes.map(({ id }) => id));
    const left = this.#open.all().filter(({ node }) => ids.has(node));
    return left.map((capacity) => ({ ...capacity, startsLeft: Infinity }));
  }

  /** Reports whether the node's back-off for the template is so long that another node is ordered instead. */
  #isGivenUp(node: NodeSnapshot, template: TemplateId): boolean {
    const backoff = backoffOf(node, template, this.#snapshot.now);
    return backoff !== null && isLong(backoff);
  }

  /**
   * Removes the services that need more RAM than `limitMb`, and subtracts their RAM from the load.
   *
   * @param limitMb RAM of the largest node that may be ordered (MB)
   * @returns the removed services
   */
  leaveOutLargerThan(limitMb: number): readonly ServiceToPlace[] {
    const larger = this.unplaced.filter(({ service }) => service.ramMb > limitMb);
    this.unplaced = this.unplaced.filter(({ service }) => service.ramMb <= limitMb);
    const ramMb = larger.reduce((sum, { service }) => sum + service.ramMb, 0);
    this.load = plus(this.load, { allocatedMb: -ramMb, totalMb: 0 });
    return larger;
  }

  #place(placed: Map<ServiceToPlace, NodeId>): void {
    this.unplaced = this.unplaced.filter((candidate) => {
      const { ramMb, template } = candidate.service;
      const givenUp = givenUpNodes(this.#snapshot, template);
      const capacity = this.#coming.bestFit(ramMb, candidate.template.bringsJava, givenUp);
      if (capacity === undefined) return true;
      this.#coming.take(capacity, ramMb);
      placed.set(candidate, capacity.node);
      return false;
    });
  }
}

/**
 * Reports whether the node's RAM counts towards the RAM of the network, to which `upscaling_at_percent_capacity`
 * refers (docs/scaling.md). The RAM of ordered nodes counts before they are ready.
 *
 * Example: READY or BOOTING → true; DRAINING or LOST → false.
 */
export function countsTowardsCapacity(node: NodeSnapshot): boolean {
  return node.state === 'READY' || isProvisioning(node);
}

/** Reports whether a node is ordered and not ready yet, but expected to become ready. */
export function isProvisioning({ state, isOverdue }: Pick<NodeSnapshot, 'state' | 'isOverdue'>): boolean {
  return (state === 'ORDERED' || state === 'BOOTING') && isOverdue !== true;
}

function isAwaited({ state, silent, held }: NodeSnapshot): boolean {
  return state === 'READY' && silent === 'awaited' && !held;
}

/**
 * Returns the allocated and the total RAM of the given nodes (MB). On each node, at most the node's own RAM counts as
 * allocated.
 */
export function loadOf(nodes: readonly NodeSnapshot[], index: SnapshotIndex): Load {
  let [allocatedMb, totalMb] = [0, 0];
  for (const node of nodes) {
    totalMb += node.ramMb;
    allocatedMb += allocatedOn(node, index);
  }
  return { allocatedMb, totalMb };
}

/**
 * Returns the RAM that is allocated on a node (MB), but at most the RAM of the node. Without this maximum, records of
 * services that claim more RAM than their node has would make the master order one node after another.
 *
 * Example: services with 10,000,000 MB on a node with 10,000 MB → 10,000.
 */
export function allocatedOn({ id, ramMb }: NodeSnapshot, index: SnapshotIndex): number {
  return Math.min(ramMb, Math.max(0, index.onNode(id).allocatedMb));
}

/**
 * Returns the free capacity of a node as soon as it accepts services. An ordered or booting node counts as having
 * Java, because Java is installed by then. The start budget counts as unlimited, because services can wait for it.
 */
function roomLater(node: NodeSnapshot, index: SnapshotIndex): NodeCapacity {
  return {
    node: node.id,
    hasJava: node.hasJava || isProvisioning(node),
    freeMb: node.ramMb - index.onNode(node.id).allocatedMb,
    startsLeft: Infinity,
  };
}
