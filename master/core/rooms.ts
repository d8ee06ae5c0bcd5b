import type { Census } from './census.ts';
import type { NodeSnapshot } from './snapshot.ts';

/** RAM and start budget that are left on a node while a round places services on it. */
export interface Room {
  readonly node: NodeSnapshot;
  readonly freeMb: number;
  readonly startsLeft: number;
}

/** The nodes that take services, by the RAM that is left on them. Changes as a round places services. */
export class Rooms {
  /** Nodes in state READY. */
  readonly openCount: number;
  readonly #withJava: RoomList;
  readonly #withoutJava: RoomList;

  constructor(nodes: readonly NodeSnapshot[], census: Census) {
    const open = nodes.filter((node) => node.state === 'READY').map((node) => roomOf(node, census));
    this.openCount = open.length;
    this.#withJava = new RoomList(open.filter(({ node }) => node.hasJava));
    this.#withoutJava = new RoomList(open.filter(({ node }) => !node.hasJava));
  }

  /** Number of open nodes that can run a service; one that brings its own Java needs none there. */
  usableCount(bringsJava: boolean): number {
    return this.#withJava.count + (bringsJava ? this.#withoutJava.count : 0);
  }

  /** Most RAM that is left on such a node, MB; 0 when there is none. */
  mostFreeMb(bringsJava: boolean): number {
    return Math.max(this.#withJava.mostFreeMb, bringsJava ? this.#withoutJava.mostFreeMb : 0);
  }

  /** Of such nodes that may still start something, the one with the least RAM left that is enough; ties by id. */
  bestFit(ramMb: number, bringsJava: boolean): Room | undefined {
    const best = this.#withJava.bestFit(ramMb);
    const other = bringsJava ? this.#withoutJava.bestFit(ramMb) : undefined;
    if (best === undefined || other === undefined) return best ?? other;
    return compare(best, other) < 0 ? best : other;
  }

  /** Counts a service that was placed in a room from {@link Rooms.bestFit}. */
  take(room: Room, ramMb: number): void {
    (room.node.hasJava ? this.#withJava : this.#withoutJava).take(room, ramMb);
  }
}

/** Rooms in order of what is free, so that the best fit among thousands is found by halving. */
class RoomList {
  readonly count: number;
  /** Rooms that may still start something: least free first, ties by id. */
  readonly #starting: Room[];
  /** Most RAM on a node that may not start anything more in this round, MB. */
  #mostFreeOfOthersMb = 0;

  constructor(rooms: readonly Room[]) {
    this.count = rooms.length;
    this.#starting = rooms.filter((room) => room.startsLeft > 0).sort(compare);
    for (const room of rooms) if (room.startsLeft <= 0) this.#leaveOut(room);
  }

  get mostFreeMb(): number {
    return Math.max(this.#mostFreeOfOthersMb, this.#starting.at(-1)?.freeMb ?? 0);
  }

  bestFit(ramMb: number): Room | undefined {
    return this.#starting[this.#firstFrom((room) => room.freeMb >= ramMb)];
  }

  take(room: Room, ramMb: number): void {
    this.#starting.splice(this.#placeOf(room), 1);
    const { node, freeMb, startsLeft } = room;
    const left = { node, freeMb: freeMb - ramMb, startsLeft: startsLeft - 1 };
    if (left.startsLeft > 0) this.#starting.splice(this.#placeOf(left), 0, left);
    else this.#leaveOut(left);
  }

  #leaveOut({ freeMb }: Room): void {
    this.#mostFreeOfOthersMb = Math.max(this.#mostFreeOfOthersMb, freeMb);
  }

  /** Where a room is in the order, or would be. */
  #placeOf(room: Room): number {
    return this.#firstFrom((other) => compare(other, room) >= 0);
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

function roomOf(node: NodeSnapshot, census: Census): Room {
  const services = census.onNode(node.id);
  const starting = services.filter(({ state }) => state === 'PREPARING' || state === 'STARTING').length;
  const allocatedMb = services.reduce((sum, service) => sum + service.ramMb, 0);
  return { node, freeMb: node.ramMb - allocatedMb, startsLeft: node.startBudget - starting };
}

function compare(a: Room, b: Room): number {
  return a.freeMb - b.freeMb || (a.node.id < b.node.id ? -1 : a.node.id > b.node.id ? 1 : 0);
}
