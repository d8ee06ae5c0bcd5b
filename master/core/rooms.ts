import type { Census } from './census.ts';
import type { NodeSnapshot } from './snapshot.ts';

/** RAM and start budget that are left on a node while a round places services on it. */
export interface Room {
  readonly node: NodeSnapshot;
  readonly freeMb: number;
  readonly startsLeft: number;
}

/**
 * The nodes that take services, by the RAM that is left on them, so that the best fit among thousands is found by
 * halving. Changes as a round places services.
 */
export class Rooms {
  /** Nodes in state READY. */
  readonly openCount: number;
  /** Those among them that have Java. */
  readonly usableCount: number;
  /** Usable rooms that may still start something: least free first, ties by id. */
  readonly #starting: Room[] = [];
  /** Most RAM on a usable node that may not start anything more in this round, MB. */
  #mostFreeOfOthersMb = 0;

  constructor(nodes: readonly NodeSnapshot[], census: Census) {
    const open = nodes.filter((node) => node.state === 'READY');
    const usable = open.filter((node) => node.hasJava);
    this.openCount = open.length;
    this.usableCount = usable.length;
    for (const room of usable.map((node) => roomOf(node, census))) {
      if (room.startsLeft > 0) this.#starting.push(room);
      else this.#leaveOut(room);
    }
    this.#starting.sort(compare);
  }

  /** Most RAM that is left on a usable node, MB; 0 when there is none. */
  get mostFreeMb(): number {
    return Math.max(this.#mostFreeOfOthersMb, this.#starting.at(-1)?.freeMb ?? 0);
  }

  /** The room with the least RAM left that is enough, among those that may still start something. */
  bestFit(ramMb: number): Room | undefined {
    return this.#starting[this.#firstFrom((room) => room.freeMb >= ramMb)];
  }

  /** Counts a service that was placed in a room from {@link Rooms.bestFit}. */
  take(room: Room, ramMb: number): void {
    const index = this.#firstFrom((other) => compare(other, room) >= 0);
    this.#starting.splice(index, 1);
    const { node, freeMb, startsLeft } = room;
    const left = { node, freeMb: freeMb - ramMb, startsLeft: startsLeft - 1 };
    if (left.startsLeft > 0) {
      this.#starting.splice(
        this.#firstFrom((other) => compare(other, left) >= 0),
        0,
        left,
      );
    } else {
      this.#leaveOut(left);
    }
  }

  #leaveOut({ freeMb }: Room): void {
    this.#mostFreeOfOthersMb = Math.max(this.#mostFreeOfOthersMb, freeMb);
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
