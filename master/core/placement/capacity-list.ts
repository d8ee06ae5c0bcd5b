import type { NodeId } from '../snapshot/snapshot.ts';

/** RAM and start budget that are left on a node while a round places services. */
export interface NodeCapacity {
  readonly node: NodeId;
  readonly hasJava: boolean;
  readonly freeMb: number;
  readonly startsLeft: number;
}

/**
 * List of node capacities sorted by free RAM, so that a binary search finds the best fit among thousands of nodes.
 */
export class CapacityList {
  /** Number of all nodes, including those whose start budget is used up in this round. */
  readonly count: number;
  /** Nodes with a start budget left: least free RAM first, ties by id. */
  readonly #starting: NodeCapacity[];
  /** Nodes without a start budget left in this round. */
  readonly #others: NodeCapacity[] = [];
  /** Largest amount of free RAM that a single node in `#others` has (MB). */
  #mostFreeOfOthersMb = 0;

  constructor(capacities: readonly NodeCapacity[]) {
    this.count = capacities.length;
    this.#starting = capacities.filter((capacity) => capacity.startsLeft > 0).sort(compareCapacities);
    for (const capacity of capacities) if (capacity.startsLeft <= 0) this.#leaveOut(capacity);
  }

  /** Returns the capacities of all nodes, including those without a start budget left. */
  all(): NodeCapacity[] {
    return [...this.#starting, ...this.#others];
  }

  /**
   * Returns the largest amount of free RAM that a single node has (MB). Returns 0 if there is no node.
   *
   * @param closed nodes to ignore
   */
  mostFreeMb(closed: ReadonlySet<NodeId>): number {
    if (closed.size === 0) return Math.max(this.#mostFreeOfOthersMb, this.#starting.at(-1)?.freeMb ?? 0);
    return this.all().reduce(
      (most, { node, freeMb }) => (closed.has(node) ? most : Math.max(most, freeMb)),
      0,
    );
  }

  /**
   * Returns the node with the least free RAM that is enough, among nodes with a start budget left; ties by id.
   * Undefined if there is none.
   *
   * Example: 1399 MB fit on nodes with 2697 and 5769 MB free → the one with 2697 MB.
   *
   * @param closed nodes to ignore
   */
  bestFit(ramMb: number, closed: ReadonlySet<NodeId>): NodeCapacity | undefined {
    let i = this.#firstFrom((capacity) => capacity.freeMb >= ramMb);
    while (closed.has(this.#starting[i]?.node ?? '')) i += 1;
    return this.#starting[i];
  }

  /** Returns the capacity of a node if it has enough free RAM (MB) and a start budget left. Undefined otherwise. */
  on(node: NodeId, ramMb: number): NodeCapacity | undefined {
    return this.#starting.find((capacity) => capacity.node === node && capacity.freeMb >= ramMb);
  }

  /**
   * Subtracts the RAM of a newly placed service, and one start, from a node of this list.
   *
   * @returns the remaining capacity of the node
   */
  take(capacity: NodeCapacity, ramMb: number): NodeCapacity {
    this.remove(capacity);
    const left = { ...capacity, freeMb: capacity.freeMb - ramMb, startsLeft: capacity.startsLeft - 1 };
    if (left.startsLeft > 0) this.add(left);
    else this.#leaveOut(left);
    return left;
  }

  /** Removes a node from the list. The node must have a start budget left. */
  remove(capacity: NodeCapacity): void {
    this.#starting.splice(this.#placeOf(capacity), 1);
  }

  /** Adds a node to the list. The node must have a start budget left. */
  add(capacity: NodeCapacity): void {
    this.#starting.splice(this.#placeOf(capacity), 0, capacity);
  }

  #leaveOut(capacity: NodeCapacity): void {
    this.#others.push(capacity);
    this.#mostFreeOfOthersMb = Math.max(this.#mostFreeOfOthersMb, capacity.freeMb);
  }

  /** Returns the index at which a node is stored, or at which it has to be inserted. */
  #placeOf(capacity: NodeCapacity): number {
    return this.#firstFrom((other) => compareCapacities(other, capacity) >= 0);
  }

  /**
   * Returns the index of the first node for which the predicate is true. Requires that the predicate is true for all
   * nodes after the first match.
   */
  #firstFrom(matches: (capacity: NodeCapacity) => boolean): number {
    let [low, high] = [0, this.#starting.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const capacity = this.#starting[middle];
      if (capacity === undefined || matches(capacity)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Compares nodes by free RAM, the least first, then by id. */
export function compareCapacities(a: NodeCapacity, b: NodeCapacity): number {
  return a.freeMb - b.freeMb || (a.node < b.node ? -1 : a.node > b.node ? 1 : 0);
}
