import { isPersistent } from '#shared/config/template.ts';
import type { Wait } from '#shared/model/wait.ts';
import { affordableCount, budgetOf } from '../fleet/budget.ts';
import { eligibleOffers } from '../fleet/choose-server-type.ts';
import { whyNoOrder } from '../fleet/spending.ts';
import { waitsForPerson } from '../placement/choose-node.ts';
import { closedNodes } from '../placement/node-backoff.ts';
import type { NodeCapacity } from '../placement/capacity-list.ts';
import { NodeCapacities } from '../placement/node-capacities.ts';
import { ramOf } from '../snapshot/capacity.ts';
import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import type { ServiceSnapshot, Snapshot, TemplateSnapshot } from '../snapshot/snapshot.ts';
import { whyVolumeWaits } from '../volumes/volume-wait.ts';

/**
 * Room for replacements of services that stop before their replacements are ready. It is used for all templates of one
 * round, so that several services do not stop for the same free RAM.
 */
export class ReplacementRoom {
  readonly #index: SnapshotIndex;
  /**
   * The open nodes with the RAM that all reservations leave on them. Null until they are needed, because most rounds
   * stop no service early.
   */
  #left: NodeCapacities | null = null;
  /** Services for whose replacements RAM is reserved. */
  readonly #reserved = new Set<ServiceSnapshot>();
  /**
   * Whether a service needs a node that is on order, or may be ordered. The RAM of this node is not known yet, so no
   * further service stops for it.
   */
  #awaitsOrder = false;

  constructor(index: SnapshotIndex) {
    this.#index = index;
  }

  /**
   * Reports whether another service of the template would find a node once the given service has stopped. This may be
   * an open node, on which the RAM of the stopped service counts as free. Or it may be a node that may be ordered, if
   * no other service needs such a node. If there is no node, a service that stops before its replacement is ready
   * would have no replacement.
   *
   * Example: a node of 6,000 MB with the service (3,000 MB). `maxJvmMemory` was raised, so the replacement takes
   * 4,471 MB → true. With another service of 3,000 MB on the node → false.
   */
  existsFor(service: ServiceSnapshot, template: TemplateSnapshot): boolean {
    const capacities = this.#capacities();
    if (this.#reserved.has(service) || this.#find(service, template, capacities) !== null) return true;
    return !this.#awaitsOrder && canOrder(ramOf(template), this.#index.snapshot);
  }

  /** Reserves room for the replacement of a service that stops. */
  reserve(service: ServiceSnapshot, template: TemplateSnapshot): void {
    const capacities = this.#capacities();
    if (!this.#reserved.has(service)) this.#take(service, template, capacities);
  }

  /**
   * Reports whether a requested service starts soon: a node has RAM for it, and it waits neither for a person nor for
   * its volume.
   */
  startsSoon(service: ServiceSnapshot): boolean {
    this.#capacities();
    return this.#reserved.has(service) && whyVolumeWaits(this.#index.volumeOf(service.id)) === null;
  }

  /**
   * Explains that no service of the template is replaced, because no node has room for the replacement
   * ({@link existsFor}). Null if no service is to be replaced, or if there is room.
   */
  whyNone(template: TemplateSnapshot): Wait | null {
    const { leaving } = this.#index.ofTemplate(template.id);
    const staying = leaving.filter((one) => this.#index.leaving(one) !== 'lost');
    if (staying.length === 0 || staying.some((one) => this.existsFor(one, template))) return null;
    const message = `No node has room for a replacement of a service of template ${template.id} (${ramOf(template)} MB), so the service keeps running. Stop other services, or add a node.`;
    return { reason: 'RAM_FULL', message, until: null };
  }

  /**
   * Returns the RAM that is left on the open nodes. Services that wait for a start, and replacements of services that
   * earlier rounds have stopped, have their RAM already. Requested services that only a person can let start take no
   * RAM. The start budget is not considered, because no replacement starts in this round.
   */
  #capacities(): NodeCapacities {
    if (this.#left !== null) return this.#left;
    const { templates, now } = this.#index.snapshot;
    const open = NodeCapacities.ofOpenNodes(this.#index).all();
    const capacities = new NodeCapacities(open.map((one) => ({ ...one, startsLeft: Infinity })));
    for (const template of templates) {
      const { services, requested } = this.#index.ofTemplate(template.id);
      const isFull = services.length === template.config.maximumOnlineServers;
      // A stopping service of a rolling restart is no longer leaving, but still marked for its replacement.
      const comesBack = (one: ServiceSnapshot): boolean =>
        one.stopping &&
        (isFull || isPersistent(template.config)) &&
        (one.retiring || this.#index.leaving(one) !== null);
      const waiting = requested.filter((one) => !waitsForPerson(one, template, now));
      for (const one of [...waiting, ...services.filter(comesBack)]) this.#take(one, template, capacities);
    }
    this.#left = capacities;
    return capacities;
  }

  #take(service: ServiceSnapshot, template: TemplateSnapshot, capacities: NodeCapacities): void {
    const place = this.#find(service, template, capacities);
    if (place === null) {
      this.#awaitsOrder ||= canOrder(ramOf(template), this.#index.snapshot);
      return;
    }
    capacities.take(place.capacity, place.takenMb);
    this.#reserved.add(service);
  }

  /**
   * Finds the node for a replacement, and the RAM that the replacement takes in addition to the RAM that the stopped
   * service leaves (MB). The service's own node comes first, because the least is taken there. Null if there is none.
   */
  #find(
    { node, ramMb }: ServiceSnapshot,
    template: TemplateSnapshot,
    capacities: NodeCapacities,
  ): { readonly capacity: NodeCapacity; readonly takenMb: number } | null {
    const neededMb = ramOf(template);
    const closed = closedNodes(this.#index.snapshot, template.id);
    const own =
      node === null || closed.has(node)
        ? undefined
        : capacities.on(node, neededMb - ramMb, template.bringsJava);
    if (own !== undefined) return { capacity: own, takenMb: neededMb - ramMb };
    const other = capacities.bestFit(neededMb, template.bringsJava, closed);
    return other === undefined ? null : { capacity: other, takenMb: neededMb };
  }
}

function canOrder(neededMb: number, snapshot: Snapshot): boolean {
  const { market, configureMode, now } = snapshot;
  if (market === null) return false;
  const facts = { configureMode, paused: market.paused, noOffer: null, overBudget: null, coming: 0 };
  if (whyNoOrder(facts, now) !== null) return false;
  const budget = budgetOf(snapshot);
  return eligibleOffers(market, now).some(
    ({ ramMb, hourlyPrice }) => ramMb >= neededMb && affordableCount(budget, hourlyPrice, now) >= 1,
  );
}
