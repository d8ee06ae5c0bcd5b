import type { TemplateId } from '#shared/model/template.ts';
import type { NodeId, NodeSnapshot, Snapshot } from '../snapshot/snapshot.ts';
import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import type { Candidate } from '../placement/placement.ts';
import type { NodeCapacity } from '../placement/capacity-list.ts';
import { isOpen, NodeCapacities } from '../placement/node-capacities.ts';
import { activeBackoffs, backoffOf, closedNodes, isLong } from '../placement/start-backoff.ts';
import type { Starts } from '../placement/starts.ts';
import { isFull, plus, type Load } from './load.ts';

/** What the nodes that are there or on their way cannot take. Gets smaller as nodes are resumed. */
export class Need {
  /** RAM of all nodes that count, and what is or will be allocated on them. */
  load: Load;
  /** Services that have room on a node which is not open yet, with that node. */
  readonly housed = new Map<Candidate, NodeId>();
  /** Services that have room on a node which is silent, or backs off, for a moment, with that node. */
  readonly awaiting = new Map<Candidate, NodeId>();
  /** Services for which there is no room anywhere, in order of priority. */
  unhoused: readonly Candidate[];
  readonly #thresholdPercent: number;
  readonly #coming: NodeCapacities;
  /** What is left on the open nodes once this round's starts are carried out. */
  readonly #open: NodeCapacities;
  readonly #snapshot: Snapshot;

  /** @param unschedulable those of `starts` for which room is to be found: what fits on no node at all is left out */
  constructor(index: SnapshotIndex, starts: Starts, unschedulable: readonly Candidate[]) {
    const { nodes, upscalingAtPercent } = index.snapshot;
    this.#thresholdPercent = upscalingAtPercent;
    this.#snapshot = index.snapshot;
    this.#open = starts.capacities;
    const wanted = [...starts.queued, ...unschedulable];
    const waitingMb = wanted.reduce((sum, { service }) => sum + service.ramMb, starts.startedMb);
    this.load = loadOf(nodes.filter(counts), index);
    this.load = plus(this.load, { allocatedMb: waitingMb, totalMb: 0 });
    const coming = nodes.filter((node) => isComing(node) && !node.held);
    this.#coming = new NodeCapacities(coming.map((node) => roomLater(node, index)));
    this.unhoused = unschedulable;
    this.#house(this.housed);
  }

  /** Rule 8: the threshold is reached, or something pending fits nowhere. */
  exists(): boolean {
    return this.unhoused.length > 0 || isFull(this.load, this.#thresholdPercent);
  }

  /** True when a node that is being emptied would help: by its free RAM, or as it is emptier than the others. */
  isEasedBy(node: NodeSnapshot, index: SnapshotIndex): boolean {
    const { allocatedMb } = index.onNode(node.id);
    const freeMb = node.ramMb - allocatedMb;
    const fits = ({ service, template }: Candidate): boolean =>
      service.ramMb <= freeMb && (node.hasJava || template.bringsJava) && !this.#isGivenUp(node, template.id);
    if (this.unhoused.some(fits)) return true;
    const own = { allocatedMb, totalMb: node.ramMb };
    return isFull(this.load, this.#thresholdPercent) && !isFull(own, this.#thresholdPercent);
  }

  /** Counts a node that is put back to use. */
  resume(node: NodeSnapshot, index: SnapshotIndex): void {
    this.load = plus(this.load, loadOf([node], index));
    this.#coming.add(roomLater(node, index));
    this.#house(this.housed);
  }

  /**
   * Counts room on nodes that may be back in a moment, and on those that back off for a short time. A new one takes longer
   * to boot than these are given, so it would be of use only if they stay away; and it costs an hour.
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

  /** It backs off from the template for so long that it is not waited for. */
  #isGivenUp(node: NodeSnapshot, template: TemplateId): boolean {
    const backoff = backoffOf(node, template, this.#snapshot.now);
    return backoff !== null && isLong(backoff);
  }

  /** Services that are larger than what may be ordered count no more. @returns these */
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

/** Its RAM counts as there (docs/scaling.md: nodes on order included). */
export function counts({ state }: NodeSnapshot): boolean {
  return state === 'READY' || isComing({ state });
}

/** Ordered and not ready yet. */
export function isComing({ state }: Pick<NodeSnapshot, 'state'>): boolean {
  return state === 'ORDERED' || state === 'BOOTING';
}

function isAwaited({ state, silent, held }: NodeSnapshot): boolean {
  return state === 'READY' && silent === 'awaited' && !held;
}

export function loadOf(nodes: readonly NodeSnapshot[], index: SnapshotIndex): Load {
  let [allocatedMb, totalMb] = [0, 0];
  for (const node of nodes) {
    totalMb += node.ramMb;
    allocatedMb += takenOn(node, index);
  }
  return { allocatedMb, totalMb };
}

/**
 * RAM that is allocated on a node, at most what it has: services are never placed beyond that, and one that claims to run
 * more (it is asked, not believed) must not make the master rent machine after machine for it.
 */
export function takenOn({ id, ramMb }: NodeSnapshot, index: SnapshotIndex): number {
  return Math.min(ramMb, Math.max(0, index.onNode(id).allocatedMb));
}

/** By the time it is open, Java is there, and how many may start at once does not matter any more. */
function roomLater(node: NodeSnapshot, index: SnapshotIndex): NodeCapacity {
  return {
    node: node.id,
    hasJava: node.hasJava || isComing(node),
    freeMb: node.ramMb - index.onNode(node.id).allocatedMb,
    startsLeft: Infinity,
  };
}
