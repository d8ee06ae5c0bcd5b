import type { TemplateId } from '#shared/model/template.ts';
import type { Census } from '../census.ts';
import { Rooms } from '../rooms.ts';
import type { NodeId, NodeSnapshot } from '../snapshot.ts';
import type { Starts } from '../starts.ts';
import { isRelaxed, plus, type Load } from './load.ts';
import { counts, loadOf } from './need.ts';

/** RAM of one service that is wanted and not on a node yet. */
export interface PendingService {
  readonly template: TemplateId;
  readonly ramMb: number;
}

/**
 * What the other nodes could take if one were given back. Counts all that will want room: services on the nodes, also
 * on those being emptied, and those that are requested. Gets smaller with each node that goes.
 */
export class SpareCapacity {
  readonly #census: Census;
  readonly #bringsJava: ReadonlyMap<TemplateId, boolean>;
  /** Null once something wanted has no room: then nothing can be spared. */
  #rooms: Rooms | null;
  /** What would move to a node, from others or as it is requested: it has to move on with that node. */
  readonly #guests = new Map<NodeId, PendingService[]>();
  #load: Load;

  constructor(census: Census, { startedMb, rooms }: Starts, pending: readonly PendingService[]) {
    const { nodes, templates } = census.snapshot;
    this.#census = census;
    this.#bringsJava = new Map(templates.map(({ id, bringsJava }) => [id, bringsJava]));
    const emptying = nodes.filter(({ state }) => state === 'DRAINING');
    const comingMb = pending.reduce((sum, { ramMb }) => sum + ramMb, startedMb);
    this.#load = [
      loadOf(nodes.filter(counts), census),
      { allocatedMb: loadOf(emptying, census).allocatedMb + comingMb, totalMb: 0 },
    ].reduce(plus);
    this.#rooms = this.#place(withBudget(rooms), pending);
  }

  /** RAM that is wanted beside RAM of the nodes but one, MB. */
  loadWithout({ ramMb }: NodeSnapshot): Load {
    return plus(this.#load, { allocatedMb: 0, totalMb: -ramMb });
  }

  /** Well below the threshold without this node; its services count as moved to the others. */
  isSpare(node: NodeSnapshot): boolean {
    return (
      this.#rooms !== null && isRelaxed(this.loadWithout(node), this.#census.snapshot.upscalingAtPercent)
    );
  }

  /** Counts a node as gone, if the others have room for each of its services. @returns false when they have not */
  give(node: NodeSnapshot): boolean {
    if (this.#rooms === null) return false;
    const others = withBudget(this.#rooms).filter((room) => room.node !== node.id);
    const services = this.#census.onNode(node.id).services.filter(({ stopping }) => !stopping);
    const left = this.#place(others, [...services, ...(this.#guests.get(node.id) ?? [])]);
    if (left === null) return false;
    this.#rooms = left;
    this.#load = this.loadWithout(node);
    return true;
  }

  /** The largest first, as then most fit. @returns what is left; null when not all have room */
  #place(open: ReturnType<Rooms['all']>, services: readonly PendingService[]): Rooms | null {
    const rooms = new Rooms(open);
    const guests: [NodeId, PendingService][] = [];
    for (const { template, ramMb } of services.toSorted((a, b) => b.ramMb - a.ramMb)) {
      const room = rooms.bestFit(ramMb, this.#bringsJava.get(template) ?? false);
      if (room === undefined) return null;
      rooms.take(room, ramMb);
      guests.push([room.node, { template, ramMb }]);
    }
    for (const [node, guest] of guests) this.#guests.set(node, [...(this.#guests.get(node) ?? []), guest]);
    return rooms;
  }
}

/** How many may start at once does not matter for what comes over time. */
function withBudget(rooms: Rooms): ReturnType<Rooms['all']> {
  return rooms.all().map((room) => ({ ...room, startsLeft: Infinity }));
}
