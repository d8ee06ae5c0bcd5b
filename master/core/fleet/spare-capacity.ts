import type { TemplateId } from '#shared/model/template.ts';
import type { Census } from '../snapshot/snapshot-index.ts';
import type { Room } from '../placement/capacity-list.ts';
import { Rooms } from '../placement/node-capacities.ts';
import { byPriority, type NodeId, type NodeSnapshot, type Snapshot } from '../snapshot/snapshot.ts';
import { closedNodes } from '../placement/start-backoff.ts';
import type { Starts } from '../placement/starts.ts';
import type { Demand, PendingService } from './demand.ts';
import { isFull, isRelaxed, plus, type Load } from './load.ts';
import { counts, loadOf, takenOn } from './need.ts';

/**
 * What the other nodes could take if one were given back. Counts all that will want room: services on the nodes, also
 * on those being emptied, and those that are requested. Gets smaller with each node that goes.
 */
export class SpareCapacity {
  readonly #census: Census;
  readonly #thresholdPercent: number;
  readonly #demand: Demand;
  readonly #places: Places;
  /** False once something wanted has no room: then nothing can be spared. */
  readonly #enough: boolean;
  #load: Load;

  /** @param wants what has no node yet, and what each template would want more */
  constructor(
    census: Census,
    { startedMb, rooms }: Starts,
    { pending, demand }: { readonly pending: readonly PendingService[]; readonly demand: Demand },
  ) {
    const { nodes, upscalingAtPercent } = census.snapshot;
    this.#census = census;
    this.#thresholdPercent = upscalingAtPercent;
    this.#demand = demand;
    const emptying = nodes.filter(({ state }) => state === 'DRAINING');
    const comingMb = pending.reduce((sum, { ramMb }) => sum + ramMb, startedMb);
    this.#load = [
      loadOf(nodes.filter(counts), census),
      { allocatedMb: loadOf(emptying, census).allocatedMb + comingMb, totalMb: 0 },
    ].reduce(plus);
    this.#places = new Places(rooms, census.snapshot);
    this.#enough = this.#places.house(pending);
  }

  /** RAM that is wanted beside RAM of the nodes that stay, MB. */
  get load(): Load {
    return this.#load;
  }

  /** The same without one node; its services count as moved to the others as they are. */
  loadWithout(node: NodeSnapshot): Load {
    return plus(this.#load, { allocatedMb: 0, totalMb: -node.ramMb });
  }

  /** All that is wanted has room on the nodes that stay, below the threshold. */
  suffices(): boolean {
    return this.#enough && !isFull(this.#load, this.#thresholdPercent);
  }

  /** Well below the threshold without this node, as a first look: whether its services have room only {@link give} knows. */
  isSpare(node: NodeSnapshot): boolean {
    return this.#enough && isRelaxed(this.loadWithout(node), this.#thresholdPercent);
  }

  /** Counts a node as gone, if the others have room for all that would be wanted then. @returns false when they have not */
  give(node: NodeSnapshot): boolean {
    const { services } = this.#census.onNode(node.id);
    // What leaves anyway was counted out of its template already, and what takes its place is wanted already.
    const leaving = services.filter((one) => !one.stopping && this.#census.leaving(one) === null);
    const moved = this.#demand.replacements(leaving);
    const movedMb = moved.reduce((sum, { ramMb }) => sum + ramMb, 0);
    const load = plus(this.loadWithout(node), {
      allocatedMb: movedMb - takenOn(node, this.#census),
      totalMb: 0,
    });
    if (!isRelaxed(load, this.#thresholdPercent) || !this.#places.moveOff(node.id, moved)) return false;
    this.#load = load;
    this.#demand.give(leaving);
    return true;
  }
}

interface Guest {
  readonly service: PendingService;
  /** The room before it was taken, and what was left of it. */
  readonly before: Room;
  readonly after: Room;
}

interface Turn {
  readonly turn: number;
  readonly bringsJava: boolean;
  /** Nodes on which its starts failed. */
  readonly closed: ReadonlySet<NodeId>;
}

/** Of what has no template any more. */
const LAST: Turn = { turn: Number.MAX_SAFE_INTEGER, bringsJava: false, closed: new Set() };

/** Rooms in which services are placed in thought. How many may start at once does not matter for what comes over time. */
class Places {
  readonly #rooms: Rooms;
  readonly #roomOf: Map<NodeId, Room>;
  /** Templates in the order in which their services are placed. */
  readonly #turns: ReadonlyMap<TemplateId, Turn>;
  /** What would come to a node: it has to move on with that node. */
  readonly #guests = new Map<NodeId, PendingService[]>();

  constructor(rooms: Rooms, snapshot: Snapshot) {
    const all = rooms.all().map((room) => ({ ...room, startsLeft: Infinity }));
    this.#rooms = new Rooms(all);
    this.#roomOf = new Map(all.map((room) => [room.node, room]));
    const inTurn = snapshot.templates.toSorted(byPriority);
    this.#turns = new Map(
      inTurn.map(({ id, bringsJava }, turn) => [id, { turn, bringsJava, closed: closedNodes(snapshot, id) }]),
    );
  }

  /** Places all of these or none, in the order in which they will be: by priority, best fit. */
  house(services: readonly PendingService[]): boolean {
    const placed: Guest[] = [];
    for (const service of services.toSorted((a, b) => this.#turnOf(a).turn - this.#turnOf(b).turn)) {
      const { bringsJava, closed } = this.#turnOf(service);
      const before = this.#rooms.bestFit(service.ramMb, bringsJava, closed);
      if (before === undefined) {
        for (const guest of placed.reverse()) this.#undo(guest);
        return false;
      }
      const after = this.#rooms.take(before, service.ramMb);
      this.#roomOf.set(after.node, after);
      placed.push({ service, before, after });
    }
    for (const { service, after } of placed) {
      this.#guests.set(after.node, [...(this.#guests.get(after.node) ?? []), service]);
    }
    return true;
  }

  /** Closes a node and places what is on it, or would come to it, elsewhere; leaves all as it is when that fails. */
  moveOff(node: NodeId, services: readonly PendingService[]): boolean {
    const room = this.#roomOf.get(node);
    if (room !== undefined) this.#rooms.remove(room);
    if (this.house([...services, ...(this.#guests.get(node) ?? [])])) return true;
    if (room !== undefined) this.#rooms.add(room);
    return false;
  }

  #turnOf({ template }: PendingService): Turn {
    return this.#turns.get(template) ?? LAST;
  }

  #undo({ before, after }: Guest): void {
    this.#rooms.remove(after);
    this.#rooms.add(before);
    this.#roomOf.set(before.node, before);
  }
}
