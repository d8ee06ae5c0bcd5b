import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import type { NodeId, NodeSnapshot } from '../snapshot/snapshot.ts';
import { compareCapacities, CapacityList, type NodeCapacity } from './capacity-list.ts';

const NONE: ReadonlySet<NodeId> = new Set();

/** The nodes that accept services, by the RAM that is left on them. Changes as a round places services. */
export class NodeCapacities {
  /** Number of nodes that accept services at the beginning of the round. */
  readonly openCount: number;
  readonly #withJava: CapacityList;
  readonly #withoutJava: CapacityList;

  constructor(capacities: readonly NodeCapacity[]) {
    this.openCount = capacities.length;
    this.#withJava = new CapacityList(capacities.filter(({ hasJava }) => hasJava));
    this.#withoutJava = new CapacityList(capacities.filter(({ hasJava }) => !hasJava));
  }

  /** Returns the capacities of all open nodes at the beginning of a round. */
  static ofOpenNodes(index: SnapshotIndex): NodeCapacities {
    return new NodeCapacities(index.snapshot.nodes.filter(isOpen).map((node) => roomOf(node, index)));
  }

  /**
   * Returns the number of open nodes that can run a service. A service that brings its own Java can use nodes
   * without Java.
   */
  usableCount(bringsJava: boolean): number {
    return this.#withJava.count + (bringsJava ? this.#withoutJava.count : 0);
  }

  /**
   * Returns the largest amount of free RAM that a single usable node has (MB), without the nodes in `closed`. Returns
   * 0 if there is no such node.
   */
  mostFreeMb(bringsJava: boolean, closed: ReadonlySet<NodeId> = NONE): number {
    const most = this.#withJava.mostFreeMb(closed);
    return bringsJava ? Math.max(most, this.#withoutJava.mostFreeMb(closed)) : most;
  }

  /**
   * Returns the usable node with the least free RAM that is enough. The node must have a start budget left and must
   * not be `closed`; ties by id.
   *
   * Example: 4471 MB with 2697, 5769 and 7168 MB free → the node with 5769 MB.
   */
  bestFit(ramMb: number, bringsJava: boolean, closed: ReadonlySet<NodeId> = NONE): NodeCapacity | undefined {
    const best = this.#withJava.bestFit(ramMb, closed);
    const other = bringsJava ? this.#withoutJava.bestFit(ramMb, closed) : undefined;
    if (best === undefined || other === undefined) return best ?? other;
    return compareCapacities(best, other) < 0 ? best : other;
  }

  /** Returns a usable node if it has enough free RAM and a start budget left. Undefined otherwise. */
  on(node: NodeId, ramMb: number, bringsJava: boolean): NodeCapacity | undefined {
    return this.#withJava.on(node, ramMb) ?? (bringsJava ? this.#withoutJava.on(node, ramMb) : undefined);
  }

  /**
   * Returns all nodes with their remaining capacity. This includes nodes without a start budget left, because later
   * rounds can use them.
   */
  all(): NodeCapacity[] {
    return [...this.#withJava.all(), ...this.#withoutJava.all()];
  }

  /** Adds a node that accepts services. The node must have a start budget left. Does not change `openCount`. */
  add(capacity: NodeCapacity): void {
    this.#listOf(capacity).add(capacity);
  }

  /** Removes a node. The node must have a start budget left. Does not change `openCount`. */
  remove(capacity: NodeCapacity): void {
    this.#listOf(capacity).remove(capacity);
  }

  /**
   * Subtracts the RAM of a newly placed service, and one start, from a node that {@link NodeCapacities.bestFit}
   * returned.
   *
   * @returns the remaining capacity of the node
   */
  take(capacity: NodeCapacity, ramMb: number): NodeCapacity {
    return this.#listOf(capacity).take(capacity, ramMb);
  }

  #listOf({ hasJava }: NodeCapacity): CapacityList {
    return hasJava ? this.#withJava : this.#withoutJava;
  }
}

/** Reports whether a node accepts services now: it is READY and reachable, and its automation is not paused. */
export function isOpen({ state, held, silent }: NodeSnapshot): boolean {
  return state === 'READY' && !held && silent === false;
}

function roomOf(node: NodeSnapshot, index: SnapshotIndex): NodeCapacity {
  const { id, hasJava, ramMb, startBudget } = node;
  const { allocatedMb, starting } = index.onNode(id);
  return { node: id, hasJava, freeMb: ramMb - allocatedMb, startsLeft: startBudget - starting };
}
