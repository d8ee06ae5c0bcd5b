import type { NodeId } from '../snapshot/snapshot.ts';

/** RAM and start budget that are left on a node while a round places services on it. */
export interface Room {
  readonly node: NodeId;
  readonly hasJava: boolean;
  readonly freeMb: number;
  readonly startsLeft: number;
}

/** Rooms in order of what is free, so that the best fit among thousands is found by halving. */
export class RoomList {
  /** All rooms, also those that may not start anything more in this round. */
  readonly count: number;
  /** Rooms that may still start something: least free first, ties by id. */
  readonly #starting: Room[];
  /** Rooms that may not start anything more in this round. */
  readonly #others: Room[] = [];
  /** Most RAM that is free in one of those, MB. */
  #mostFreeOfOthersMb = 0;

  constructor(rooms: readonly Room[]) {
    this.count = rooms.length;
    this.#starting = rooms.filter((room) => room.startsLeft > 0).sort(compareRooms);
    for (const room of rooms) if (room.startsLeft <= 0) this.#leaveOut(room);
  }

  all(): Room[] {
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
  bestFit(ramMb: number, closed: ReadonlySet<NodeId>): Room | undefined {
    let i = this.#firstFrom((room) => room.freeMb >= ramMb);
    while (closed.has(this.#starting[i]?.node ?? '')) i += 1;
    return this.#starting[i];
  }

  /** Counts a service that is placed in a room of this list. @returns what is left of the room */
  take(room: Room, ramMb: number): Room {
    this.remove(room);
    const left = { ...room, freeMb: room.freeMb - ramMb, startsLeft: room.startsLeft - 1 };
    if (left.startsLeft > 0) this.add(left);
    else this.#leaveOut(left);
    return left;
  }

  /** Takes out a room that may still start something. */
  remove(room: Room): void {
    this.#starting.splice(this.#placeOf(room), 1);
  }

  /** One more room that may start something. */
  add(room: Room): void {
    this.#starting.splice(this.#placeOf(room), 0, room);
  }

  #leaveOut(room: Room): void {
    this.#others.push(room);
    this.#mostFreeOfOthersMb = Math.max(this.#mostFreeOfOthersMb, room.freeMb);
  }

  /** Where a room is in the order, or would be. */
  #placeOf(room: Room): number {
    return this.#firstFrom((other) => compareRooms(other, room) >= 0);
  }

  /** Index of the first room for which `holds`, given that it holds for all after that one too. */
  #firstFrom(holds: (room: Room) => boolean): number {
    let [low, high] = [0, this.#starting.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const room = this.#starting[middle];
      if (room === undefined || holds(room)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

export function compareRooms(a: Room, b: Room): number {
  return a.freeMb - b.freeMb || (a.node < b.node ? -1 : a.node > b.node ? 1 : 0);
}
