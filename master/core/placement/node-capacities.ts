import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import type { NodeId, NodeSnapshot } from '../snapshot/snapshot.ts';
import { compareCapacities, CapacityList, type NodeCapacity } from './capacity-list.ts';

const NONE: ReadonlySet<NodeId> = new Set();

/** The nodes that take services, by the RAM that is left on them. Changes as a round places services. */
export class NodeCapacities {
  readonly openCount: number;
  readonly #withJava: CapacityList;
  readonly #withoutJava: CapacityList;

  constructor(capacities: readonly NodeCapacity[]) {
    this.openCount = capacities.length;
    this.#withJava = new CapacityList(capacities.filter(({ hasJava }) => hasJava));
    this.#withoutJava = new CapacityList(capacities.filter(({ hasJava }) => !hasJava));
  }

  /** Those of all nodes that take services, as they are at the beginning of a round. */
  static ofOpenNodes(index: SnapshotIndex): NodeCapacities {
    return new NodeCapacities(index.snapshot.nodes.filter(isOpen).map((node) => roomOf(node, index)));
  }

  /** Number of open nodes that can run a service; one that brings its own Java needs none there. */
  usableCount(bringsJava: boolean): number {
    return this.#withJava.count + (bringsJava ? this.#withoutJava.count : 0);
  }

  /** Most RAM that is left on such a node that is not `closed`, MB; 0 when there is none. */
  mostFreeMb(bringsJava: boolean, closed: ReadonlySet<NodeId> = NONE): number {
    const most = this.#withJava.mostFreeMb(closed);
    return bringsJava ? Math.max(most, this.#withoutJava.mostFreeMb(closed)) : most;
  }

  /**
   * Of such nodes that may still start something and are not `closed`, the one with the least RAM left that is enough;
   * ties by id.
   */
  bestFit(ramMb: number, bringsJava: boolean, closed: ReadonlySet<NodeId> = NONE): NodeCapacity | undefined {
    const best = this.#withJava.bestFit(ramMb, closed);
    const other = bringsJava ? this.#withoutJava.bestFit(ramMb, closed) : undefined;
    if (best === undefined || other === undefined) return best ?? other;
    return compareCapacities(best, other) < 0 ? best : other;
  }

  /** All rooms as they are left, whether or not they may start something more: for what comes after this round. */
  all(): NodeCapacity[] {
    return [...this.#withJava.all(), ...this.#withoutJava.all()];
  }

  /** One more node that takes services. */
  add(capacity: NodeCapacity): void {
    this.#listOf(capacity).add(capacity);
  }

  /** A node that takes no more. */
  remove(capacity: NodeCapacity): void {
    this.#listOf(capacity).remove(capacity);
  }

  /** Counts a service that was placed in a room from {@link NodeCapacities.bestFit}. @returns what is left of the room */
  take(capacity: NodeCapacity, ramMb: number): NodeCapacity {
    return this.#listOf(capacity).take(capacity, ramMb);
  }

  #listOf({ hasJava }: NodeCapacity): CapacityList {
    return hasJava ? this.#withJava : this.#withoutJava;
  }
}

/** Takes services now. */
export function isOpen({ state, held, silent }: NodeSnapshot): boolean {
  return state === 'READY' && !held && silent === false;
}

function roomOf(node: NodeSnapshot, index: SnapshotIndex): NodeCapacity {
  const { id, hasJava, ramMb, startBudget } = node;
  const { allocatedMb, starting } = index.onNode(id);
  return { node: id, hasJava, freeMb: ramMb - allocatedMb, startsLeft: startBudget - starting };
}
