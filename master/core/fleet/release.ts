import type { Keep } from '#shared/model/node.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { ActionOf } from '../action.ts';
import type { Census } from '../census.ts';
import { RoomList, type Room } from '../room-list.ts';
import { whyTemplateWaits } from '../placement.ts';
import {
  isReleasable,
  type NodeId,
  type NodeSnapshot,
  type ServiceSnapshot,
  type TemplateSnapshot,
} from '../snapshot.ts';
import type { Growth } from './order.ts';
import { counts, loadOf } from './need.ts';
import { isRelaxed, plus, type Load } from './load.ts';
import { isReleaseTime, paidUntil } from './rental.ts';

export interface Shrinking {
  readonly actions: readonly (ActionOf<'drain'> | ActionOf<'release'>)[];
  /** For each rented node that stays: why. */
  readonly kept: ReadonlyMap<NodeId, Keep>;
}

/**
 * Gives back what is not needed (design 5, rule 8): lost nodes at once, empty ones shortly before the end of a paid
 * hour; and empties those without which the others are still well below the threshold.
 *
 * @param rooms what is left on open nodes once this round's starts are carried out
 */
export function planShrinking(census: Census, growth: Growth, rooms: readonly Room[]): Shrinking {
  const round = new ShrinkRound(census, growth, rooms);
  for (const node of inReleaseOrder(census)) round.look(node);
  return round;
}

/** The least used first; then the one whose paid hour ends first; ties by id. */
function inReleaseOrder(census: Census): (NodeSnapshot & Rented)[] {
  const { nodes, now } = census.snapshot;
  return nodes
    .filter(isRented)
    .map((node) => ({ node, on: census.onNode(node.id), until: paidUntil(node.rental, now) }))
    .sort(
      (a, b) =>
        a.on.inUse - b.on.inUse ||
        a.on.players - b.on.players ||
        a.on.allocatedMb - b.on.allocatedMb ||
        a.until - b.until ||
        (a.node.id < b.node.id ? -1 : 1),
    )
    .map(({ node }) => node);
}

interface Rented {
  readonly rental: NonNullable<NodeSnapshot['rental']>;
}

function isRented(node: NodeSnapshot): node is NodeSnapshot & Rented {
  return node.rental !== null;
}

/** Goes through the rented nodes of one round: each that goes leaves less for the next. */
class ShrinkRound implements Shrinking {
  readonly actions: (ActionOf<'drain'> | ActionOf<'release'>)[] = [];
  readonly kept = new Map<NodeId, Keep>();
  readonly #census: Census;
  readonly #wanted: boolean;
  readonly #resumed: ReadonlySet<NodeId>;
  /** What would have to be housed, also from nodes that are being emptied, beside the RAM of those that stay. */
  #load: Load;
  #rooms: readonly Room[];
  readonly #templates: ReadonlyMap<TemplateId, TemplateSnapshot>;

  constructor(census: Census, growth: Growth, rooms: readonly Room[]) {
    const { nodes, templates } = census.snapshot;
    this.#census = census;
    this.#templates = new Map(templates.map((template) => [template.id, template]));
    this.#wanted = growth.wanted;
    this.#resumed = new Set(growth.actions.flatMap((one) => (one.kind === 'resume' ? [one.node] : [])));
    const emptying = loadOf(
      nodes.filter(({ state }) => state === 'DRAINING'),
      census,
    );
    const staying = loadOf(nodes.filter(counts), census);
    this.#load = plus(staying, { allocatedMb: emptying.allocatedMb, totalMb: 0 });
    this.#rooms = rooms;
  }

  look(node: NodeSnapshot & Rented): void {
    if (node.state === 'DELETING') return;
    const { now } = this.#census.snapshot;
    const keep = this.#judge(node, paidUntil(node.rental, now));
    if (keep !== null) this.kept.set(node.id, keep);
  }

  /** @returns why it stays; null when it goes or is to be emptied */
  #judge(node: NodeSnapshot & Rented, until: number): Keep | null {
    const { now } = this.#census.snapshot;
    const bound = boundByPeople(node);
    if (bound !== null) return bound;
    if (node.state === 'LOST') return this.#release(node, 'it is lost; its services are started elsewhere');
    if (this.#resumed.has(node.id)) return keep('NEEDED', 'It was being emptied and is needed again.');
    if (node.state === 'READY' && !this.#isSpare(node)) return this.#needed(node);
    const { services } = this.#census.onNode(node.id);
    if (node.state === 'READY' && services.length > 0) return this.#drain(node);
    if (node.state !== 'READY' && node.state !== 'DRAINING') return keep('NEEDED', 'It is on its way.');
    if (services.length > 0) {
      return keep('OCCUPIED', `It is being emptied; ${services.length} services are still on it.`);
    }
    if (!isReleaseTime(node.rental, now)) {
      const minutes = Math.ceil((until - now) / 60_000);
      return keep(
        'PAID_FOR',
        `It is empty and paid for; it is given back at the end of its hour, in ${minutes} min.`,
      );
    }
    if (node.state === 'READY') this.#leaveOut(node);
    return this.#release(node, 'it is empty, not needed, and its paid hour ends');
  }

  #release({ id }: NodeSnapshot, cause: string): null {
    this.actions.push({ kind: 'release', node: id, cause });
    return null;
  }

  /** Well below the threshold without it. Its services count as moved. */
  #isSpare({ ramMb }: NodeSnapshot): boolean {
    const { allocatedMb, totalMb } = this.#load;
    const { upscalingAtPercent } = this.#census.snapshot;
    return !this.#wanted && isRelaxed({ allocatedMb, totalMb: totalMb - ramMb }, upscalingAtPercent);
  }

  #needed({ ramMb }: NodeSnapshot): Keep {
    const { allocatedMb, totalMb } = this.#load;
    const others = totalMb - ramMb;
    const { upscalingAtPercent } = this.#census.snapshot;
    const message = `Without it ${allocatedMb} MB would be needed on ${others} MB of the other nodes (upscaling_at_percent_capacity is ${upscalingAtPercent} %).`;
    return keep('NEEDED', message);
  }

  #drain(node: NodeSnapshot): Keep | null {
    const { services } = this.#census.onNode(node.id);
    const bound = services.map((service) => this.#whyNotMovable(service)).find((why) => why !== null);
    if (bound !== undefined) return keep('OCCUPIED', bound);
    const rooms = this.#roomsAfterMove(node);
    if (rooms === null) return keep('NEEDED', 'Its services would not fit on the other nodes.');
    this.#rooms = rooms;
    this.#leaveOut(node);
    const { allocatedMb, totalMb } = this.#load;
    const cause = `the other nodes are enough: ${allocatedMb} MB needed, ${totalMb} MB there`;
    this.actions.push({ kind: 'drain', node: node.id, cause });
    return keep('OCCUPIED', `It is being emptied; ${services.length} services are still on it.`);
  }

  /** A node is emptied only where each of its services can be replaced elsewhere and may be stopped then. */
  #whyNotMovable(service: ServiceSnapshot): string | null {
    const template = this.#templates.get(service.template);
    if (service.held) return `${service.id} is held.`;
    if (template === undefined) return null;
    const { id, config, held } = template;
    if (held) return `Template ${id} of its service ${service.id} is held.`;
    if (config.killUnusedTooManyServersAfter === -1) {
      return `Services of template ${id} are never stopped (killUnusedTooManyServersAfter is -1).`;
    }
    if (whyTemplateWaits(template, this.#census.snapshot.now) !== null) {
      return `No service of template ${id} can be started elsewhere now.`;
    }
    const { maximumOnlineServers } = config;
    if (maximumOnlineServers !== -1 && this.#census.ofTemplate(id).length >= maximumOnlineServers) {
      return `maximumOnlineServers of template ${id} leaves no room to replace ${service.id} first.`;
    }
    return null;
  }

  /** Rooms of the other nodes once this one's services are there; null when they do not fit. */
  #roomsAfterMove(node: NodeSnapshot): readonly Room[] | null {
    const others = this.#rooms.filter((room) => room.node !== node.id);
    const list = new RoomList(others.map((room) => ({ ...room, startsLeft: Infinity })));
    for (const { ramMb, stopping } of this.#census.onNode(node.id).services) {
      if (stopping) continue;
      const room = list.bestFit(ramMb);
      if (room === undefined) return null;
      list.take(room, ramMb);
    }
    return list.all();
  }

  #leaveOut({ ramMb }: NodeSnapshot): void {
    this.#load = plus(this.#load, { allocatedMb: 0, totalMb: -ramMb });
  }
}

function boundByPeople(node: NodeSnapshot): Keep | null {
  if (node.locked) return keep('LOCKED', 'It is locked: no rule gives it back.');
  if (!isReleasable(node)) return keep('HELD', 'It is held: no rule gives it back.');
  if (node.state === 'CORDONED') return keep('CORDONED', 'It was cordoned by hand and stays as it is.');
  return null;
}

function keep(reason: Keep['reason'], message: string): Keep {
  return { reason, message };
}
