import type { NodeId } from '../snapshot/snapshot.ts';

/** RAM and start budget that are left on a node while a round places services on it. */
export interface NodeCapacity {
  readonly node: NodeId;
  readonly hasJava: boolean;
  readonly freeMb: number;
  readonly startsLeft: number;
}

/** Rooms in order of what is free, so that the best fit among thousands is found by halving. */
export class CapacityList {
  /** All rooms, also those that may not start anything more in this round. */
  readonly count: number;
  /** Rooms that may still start something: least free first, ties by id. */
  readonly #starting: NodeCapacity[];
  /** Rooms that may not start anything more in this round. */
  readonly #others: NodeCapacity[] = [];
  /** Most RAM that is free in one of those, MB. */
  #mostFreeOfOthersMb = 0;

  constructor(capacities: readonly NodeCapacity[]) {
    this.count = capacities.length;
    this.#starting = capacities.filter((capacity) => capacity.startsLeft > 0).sort(compareCapacities);
    for (const capacity of capacities) if (capacity.startsLeft <= 0) this.#leaveOut(capacity);
  }

  all(): NodeCapacity[] {
    return [...this.#starting, ...this.#others];
  }

  /** @param closed nodes that do not count */
  mostFreeMb(closed: ReadonlySet<NodeId>): number {
    if (closed.size === 0) return Math.max(this.#mostFreeOfOthersMb, this.#starting.at(-1)?.freeMb ?? 0);
    return this.all().reduce(
      (most, { node, freeMb }) => (closed.has(node) ? most : Math.max(most, freeMb)),
      0,
    );
  }

  /**
   * Of those that may still start something, the one with the least RAM left that is enough; ties by id.
   *
   * @param closed nodes that do not count
   */
  bestFit(ramMb: number, closed: ReadonlySet<NodeId>): NodeCapacity | undefined {
    let i = this.#firstFrom((capacity) => capacity.freeMb >= ramMb);
    while (closed.has(this.#starting[i]?.node ?? '')) i += 1;
    return this.#starting[i];
  }

  /** Counts a service that is placed in a room of this list. @returns what is left of the room */
  take(capacity: NodeCapacity, ramMb: number): NodeCapacity {
    this.remove(capacity);
    const left = { ...capacity, freeMb: capacity.freeMb - ramMb, startsLeft: capacity.startsLeft - 1 };
    if (left.startsLeft > 0) this.add(left);
    else this.#leaveOut(left);
    return left;
  }

  /** Takes out a room that may still start something. */
  remove(capacity: NodeCapacity): void {
    this.#starting.splice(this.#placeOf(capacity), 1);
  }

  /** One more room that may start something. */
  add(capacity: NodeCapacity): void {
    this.#starting.splice(this.#placeOf(capacity), 0, capacity);
  }

  #leaveOut(capacity: NodeCapacity): void {
    this.#others.push(capacity);
    this.#mostFreeOfOthersMb = Math.max(this.#mostFreeOfOthersMb, capacity.freeMb);
  }

  /** Where a room is in the order, or would be. */
  #placeOf(capacity: NodeCapacity): number {
    return this.#firstFrom((other) => compareCapacities(other, capacity) >= 0);
  }

  /** Index of the first room for which `holds`, given that it holds for all after that one too. */
  #firstFrom(overrides: (capacity: NodeCapacity) => boolean): number {
    let [low, high] = [0, this.#starting.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const capacity = this.#starting[middle];
      if (capacity === undefined || overrides(capacity)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

export function compareCapacities(a: NodeCapacity, b: NodeCapacity): number {
  return a.freeMb - b.freeMb || (a.node < b.node ? -1 : a.node > b.node ? 1 : 0);
}
