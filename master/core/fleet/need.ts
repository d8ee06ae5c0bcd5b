import type { TemplateId } from '#shared/model/template.ts';
import type { NodeId, NodeSnapshot, Snapshot } from '../snapshot/snapshot.ts';
import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import type { Candidate } from '../placement/placement.ts';
import type { NodeCapacity } from '../placement/capacity-list.ts';
import { isOpen, NodeCapacities } from '../placement/node-capacities.ts';
import { activeBackoffs, backoffOf, closedNodes, isLong } from '../placement/node-backoff.ts';
import type { Starts } from '../placement/starts.ts';
import { isFull, plus, type Load } from './load.ts';

/** RAM that the existing and the ordered nodes cannot provide. Shrinks as nodes are resumed. */
export class Need {
  /** RAM of all nodes that count, and RAM that is allocated on them now or will be. */
  load: Load;
  /** Services that fit on a node which is not open yet, with that node. */
  readonly housed = new Map<Candidate, NodeId>();
  /** Services that fit on a node which is unreachable or backs off for a short time, with that node. */
  readonly awaiting = new Map<Candidate, NodeId>();
  /** Services that fit on no node, in order of priority. */
  unhoused: readonly Candidate[];
  readonly #thresholdPercent: number;
  readonly #coming: NodeCapacities;
  /** Remaining capacity of the open nodes after this round's starts. */
  readonly #open: NodeCapacities;
  readonly #snapshot: Snapshot;

  /** @param unschedulable services of `starts` that need a node; those that fit on no node at all are left out */
  constructor(index: SnapshotIndex, starts: Starts, unschedulable: readonly Candidate[]) {
    const { nodes, upscalingAtPercent } = index.snapshot;
    this.#thresholdPercent = upscalingAtPercent;
    this.#snapshot = index.snapshot;
    this.#open = starts.capacities;
    const wanted = [...starts.queued, ...unschedulable];
    const waitingMb = wanted.reduce((sum, { service }) => sum + service.ramMb, starts.startedMb);
    this.load = loadOf(nodes.filter(counts), index);
    this.load = plus(this.load, { allocatedMb: waitingMb, totalMb: 0 });
    const coming = nodes.filter((node) => isProvisioning(node) && !node.held);
    this.#coming = new NodeCapacities(coming.map((node) => roomLater(node, index)));
    this.unhoused = unschedulable;
    this.#house(this.housed);
  }

  /** Reports whether a node is needed: the threshold is reached, or a pending service fits nowhere. */
  exists(): boolean {
    return this.unhoused.length > 0 || isFull(this.load, this.#thresholdPercent);
  }

  /**
   * Reports whether resuming a draining node helps: it has room for a service without a node, or it is emptier than
   * the others.
   */
  isEasedBy(node: NodeSnapshot, index: SnapshotIndex): boolean {
    const { allocatedMb } = index.onNode(node.id);
    const freeMb = node.ramMb - allocatedMb;
    const fits = ({ service, template }: Candidate): boolean =>
      service.ramMb <= freeMb && (node.hasJava || template.bringsJava) && !this.#isGivenUp(node, template.id);
    if (this.unhoused.some(fits)) return true;
    const own = { allocatedMb, totalMb: node.ramMb };
    return isFull(this.load, this.#thresholdPercent) && !isFull(own, this.#thresholdPercent);
  }

  /** Counts a node that is resumed. */
  resume(node: NodeSnapshot, index: SnapshotIndex): void {
    this.load = plus(this.load, loadOf([node], index));
    this.#coming.add(roomLater(node, index));
    this.#house(this.housed);
  }

  /**
   * Counts room on nodes that may soon be reachable again, and on nodes that back off for a short time. A new node
   * takes longer to boot than these waits last, and costs a full hour.
   */
  awaitOthers(index: SnapshotIndex): void {
    if (this.unhoused.length === 0) return;
    const { nodes, now } = index.snapshot;
    for (const node of nodes) if (isAwaited(node)) this.#coming.add(roomLater(node, index));
    const backingOff = nodes.filter(
      (node) => isOpen(node) && activeBackoffs(node.startBackoffs, now).length > 0,
    );
    const left = new Map(
      backingOff.length === 0 ? [] : this.#open.all().map((capacity) => [capacity.node, capacity] as const),
    );
    for (const { id } of backingOff) {
      const capacity = left.get(id);
      if (capacity !== undefined) this.#coming.add({ ...capacity, startsLeft: Infinity });
    }
    this.#house(this.awaiting);
  }

  /** Reports whether the node backs off from the template for too long to wait for it. */
  #isGivenUp(node: NodeSnapshot, template: TemplateId): boolean {
    const backoff = backoffOf(node, template, this.#snapshot.now);
    return backoff !== null && isLong(backoff);
  }

  /**
   * Removes the services that are larger than any node that may be ordered, and their RAM.
   *
   * @returns the removed services
   */
  leaveOutLargerThan(limitMb: number): readonly Candidate[] {
    const larger = this.unhoused.filter(({ service }) => service.ramMb > limitMb);
    this.unhoused = this.unhoused.filter(({ service }) => service.ramMb <= limitMb);
    const ramMb = larger.reduce((sum, { service }) => sum + service.ramMb, 0);
    this.load = plus(this.load, { allocatedMb: -ramMb, totalMb: 0 });
    return larger;
  }

  #house(housed: Map<Candidate, NodeId>): void {
    this.unhoused = this.unhoused.filter((candidate) => {
      const { ramMb, template } = candidate.service;
      const givenUp = closedNodes(this.#snapshot, template, isLong);
      const capacity = this.#coming.bestFit(ramMb, candidate.template.bringsJava, givenUp);
      if (capacity === undefined) return true;
      this.#coming.take(capacity, ramMb);
      housed.set(candidate, capacity.node);
      return false;
    });
  }
}

/**
 * Reports whether the node's RAM counts towards the total (docs/scaling.md). Nodes on order count.
 *
 * Example: READY or BOOTING → true; DRAINING or LOST → false.
 */
export function counts({ state }: NodeSnapshot): boolean {
  return state === 'READY' || isProvisioning({ state });
}

/** Reports whether a node is ordered and not ready yet. */
export function isProvisioning({ state }: Pick<NodeSnapshot, 'state'>): boolean {
  return state === 'ORDERED' || state === 'BOOTING';
}

function isAwaited({ state, silent, held }: NodeSnapshot): boolean {
  return state === 'READY' && silent === 'awaited' && !held;
}

/** Returns the allocated and the total RAM of nodes (MB). */
export function loadOf(nodes: readonly NodeSnapshot[], index: SnapshotIndex): Load {
  let [allocatedMb, totalMb] = [0, 0];
  for (const node of nodes) {
    totalMb += node.ramMb;
    allocatedMb += allocatedOn(node, index);
  }
  return { allocatedMb, totalMb };
}

/**
 * Returns the RAM that is allocated on a node (MB), at most what the node has. Services are never placed beyond
 * that, and a node that claims to run more must not make the master order machine after machine.
 *
 * Example: services with 10,000,000 MB on a node with 10,000 MB → 10,000.
 */
export function allocatedOn({ id, ramMb }: NodeSnapshot, index: SnapshotIndex): number {
  return Math.min(ramMb, Math.max(0, index.onNode(id).allocatedMb));
}

/** Returns the room of a node once it is open: Java is installed by then, and the start budget no longer matters. */
function roomLater(node: NodeSnapshot, index: SnapshotIndex): NodeCapacity {
  return {
    node: node.id,
    hasJava: node.hasJava || isProvisioning(node),
    freeMb: node.ramMb - index.onNode(node.id).allocatedMb,
    startsLeft: Infinity,
  };
}
