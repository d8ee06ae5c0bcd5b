import type { TemplateId } from '#shared/model/template.ts';
import type { Census } from '../census.ts';
import type { Room } from '../room-list.ts';
import { Rooms } from '../rooms.ts';
import type { NodeId, NodeSnapshot } from '../snapshot.ts';
import type { Starts } from '../starts.ts';
import type { Demand, PendingService } from './demand.ts';
import { isRelaxed, plus, type Load } from './load.ts';
import { counts, loadOf } from './need.ts';

/**
 * What the other nodes could take if one were given back. Counts all that will want room: services on the nodes, also
 * on those being emptied, and those that are requested. Gets smaller with each node that goes.
 */
export class SpareCapacity {
  readonly #census: Census;
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
    const { nodes, templates } = census.snapshot;
    this.#census = census;
    this.#demand = demand;
    const bringJava = new Set(templates.filter((one) => one.bringsJava).map(({ id }) => id));
    const emptying = nodes.filter(({ state }) => state === 'DRAINING');
    const comingMb = pending.reduce((sum, { ramMb }) => sum + ramMb, startedMb);
    this.#load = [
      loadOf(nodes.filter(counts), census),
      { allocatedMb: loadOf(emptying, census).allocatedMb + comingMb, totalMb: 0 },
    ].reduce(plus);
    this.#places = new Places(rooms, (template) => bringJava.has(template));
    this.#enough = this.#places.house(pending);
  }

  /** RAM that is wanted beside RAM of the nodes, MB. */
  get load(): Load {
    return this.#load;
  }

  /** The same without one node, with its services on the others. */
  loadWithout(node: NodeSnapshot): Load {
    const { services, allocatedMb } = this.#census.onNode(node.id);
    const moved = this.#demand.replacements(services).reduce((sum, { ramMb }) => sum + ramMb, 0);
    return plus(this.#load, { allocatedMb: moved - allocatedMb, totalMb: -node.ramMb });
  }

  /** Well below the threshold without this node; its services count as moved to the others. */
  isSpare(node: NodeSnapshot): boolean {
    const { upscalingAtPercent } = this.#census.snapshot;
    const atLeast = plus(this.#load, { allocatedMb: 0, totalMb: -node.ramMb });
    // The first is cheap and says no for nearly every node of a network that is well used.
    return (
      this.#enough &&
      isRelaxed(atLeast, upscalingAtPercent) &&
      isRelaxed(this.loadWithout(node), upscalingAtPercent)
    );
  }

  /** Counts a node as gone, if the others have room for each of its services. @returns false when they have not */
  give(node: NodeSnapshot): boolean {
    const services = this.#census.onNode(node.id).services.filter(({ stopping }) => !stopping);
    if (!this.#places.moveOff(node.id, this.#demand.replacements(services))) return false;
    this.#load = this.loadWithout(node);
    this.#demand.give(services);
    return true;
  }
}

interface Guest {
  readonly service: PendingService;
  /** The room before it was taken, and what was left of it. */
  readonly before: Room;
  readonly after: Room;
}

/** Rooms in which services are placed in thought. How many may start at once does not matter for what comes over time. */
class Places {
  readonly #rooms: Rooms;
  readonly #roomOf: Map<NodeId, Room>;
  readonly #bringsJava: (template: TemplateId) => boolean;
  /** What would come to a node: it has to move on with that node. */
  readonly #guests = new Map<NodeId, PendingService[]>();

  constructor(rooms: Rooms, bringsJava: (template: TemplateId) => boolean) {
    const all = rooms.all().map((room) => ({ ...room, startsLeft: Infinity }));
    this.#rooms = new Rooms(all);
    this.#roomOf = new Map(all.map((room) => [room.node, room]));
    this.#bringsJava = bringsJava;
  }

  /** Places all of these or none; the largest first, as then most fit. */
  house(services: readonly PendingService[]): boolean {
    const placed: Guest[] = [];
    for (const service of services.toSorted((a, b) => b.ramMb - a.ramMb)) {
      const before = this.#rooms.bestFit(service.ramMb, this.#bringsJava(service.template));
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

  #undo({ before, after }: Guest): void {
    this.#rooms.remove(after);
    this.#rooms.add(before);
    this.#roomOf.set(before.node, before);
  }
}
