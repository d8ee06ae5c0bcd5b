import type { TemplateId } from '#shared/model/template.ts';
import { ramOf } from '../capacity.ts';
import type { Census } from '../census.ts';
import { Rooms } from '../rooms.ts';
import type { NodeId, NodeSnapshot, ServiceSnapshot, TemplateSnapshot } from '../snapshot.ts';
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
  readonly #templates: ReadonlyMap<TemplateId, TemplateSnapshot>;
  /** Null once something wanted has no room: then nothing can be spared. */
  #rooms: Rooms | null;
  /** What would move to a node, from others or as it is requested: it has to move on with that node. */
  readonly #guests = new Map<NodeId, PendingService[]>();
  #load: Load;

  constructor(census: Census, { startedMb, rooms }: Starts, pending: readonly PendingService[]) {
    const { nodes, templates } = census.snapshot;
    this.#census = census;
    this.#templates = new Map(templates.map((template) => [template.id, template]));
    const emptying = nodes.filter(({ state }) => state === 'DRAINING');
    const comingMb = pending.reduce((sum, { ramMb }) => sum + ramMb, startedMb);
    this.#load = [
      loadOf(nodes.filter(counts), census),
      { allocatedMb: loadOf(emptying, census).allocatedMb + comingMb, totalMb: 0 },
    ].reduce(plus);
    this.#rooms = this.#place(withBudget(rooms), pending);
  }

  /** RAM that is wanted beside RAM of the nodes, MB. */
  get load(): Load {
    return this.#load;
  }

  /** The same without one node, with its services on the others. */
  loadWithout(node: NodeSnapshot): Load {
    const growth = this.#census.onNode(node.id).services.reduce((sum, service) => {
      return sum + this.#replacementOf(service).ramMb - service.ramMb;
    }, 0);
    return plus(this.#load, { allocatedMb: growth, totalMb: -node.ramMb });
  }

  /** Well below the threshold without this node; its services count as moved to the others. */
  isSpare(node: NodeSnapshot): boolean {
    if (this.#rooms === null) return false;
    return isRelaxed(this.loadWithout(node), this.#census.snapshot.upscalingAtPercent);
  }

  /** Counts a node as gone, if the others have room for each of its services. @returns false when they have not */
  give(node: NodeSnapshot): boolean {
    if (this.#rooms === null) return false;
    const others = withBudget(this.#rooms).filter((room) => room.node !== node.id);
    const services = this.#census.onNode(node.id).services.filter(({ stopping }) => !stopping);
    const moved = services.map((service) => this.#replacementOf(service));
    const left = this.#place(others, [...moved, ...(this.#guests.get(node.id) ?? [])]);
    if (left === null) return false;
    this.#rooms = left;
    this.#load = this.loadWithout(node);
    return true;
  }

  /** What takes a service's place elsewhere: as large as its template is now, at least. */
  #replacementOf({ template, ramMb }: ServiceSnapshot): PendingService {
    const now = this.#templates.get(template);
    return { template, ramMb: now === undefined ? ramMb : Math.max(ramMb, ramOf(now)) };
  }

  /** The largest first, as then most fit. @returns what is left; null when not all have room */
  #place(open: ReturnType<Rooms['all']>, services: readonly PendingService[]): Rooms | null {
    const rooms = new Rooms(open);
    const guests: [NodeId, PendingService][] = [];
    for (const { template, ramMb } of services.toSorted((a, b) => b.ramMb - a.ramMb)) {
      const room = rooms.bestFit(ramMb, this.#templates.get(template)?.bringsJava ?? false);
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
