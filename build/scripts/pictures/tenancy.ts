import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { HOUR_MS } from './plot.ts';
import type { NodeEvent, NodeMoment, SimulatedDay } from './simulated-day.ts';

/** Maximum number of paid hours of the node in the picture. Longer tenancies do not fit. */
const MOST_PAID_HOURS = 6;

/** The time of one node from its order at the provider to its release. */
export interface Tenancy {
  readonly node: NodeId;
  /** Time of the order, since the start of the day (ms). */
  readonly orderedAt: number;
  readonly paidHours: number;
  readonly moments: readonly NodeMoment[];
  readonly events: readonly NodeEvent[];
}

/**
 * Returns the node that was drained and resumed most often, among the nodes that were released after at most
 * {@link MOST_PAID_HOURS}. If several nodes qualify, returns the node with the longest tenancy.
 *
 * @throws Error if no node was drained, because such a day does not show the subject of the picture
 */
export function eventfulTenancy({ events, lives }: SimulatedDay): Tenancy {
  const tenancies = [...lives].flatMap(([node, moments]): Tenancy[] => {
    const own = events.filter((event) => event.node === node);
    const [first, last] = [own[0], own.at(-1)];
    if (first?.kind !== 'order' || last?.kind !== 'release' || own.length < 3) return [];
    const paidHours = Math.ceil((last.at - first.at) / HOUR_MS);
    return paidHours > MOST_PAID_HOURS
      ? []
      : [{ node, orderedAt: first.at, paidHours, moments, events: own }];
  });
  tenancies.sort((a, b) => b.events.length - a.events.length || b.paidHours - a.paidHours);
  const [found] = tenancies;
  if (found === undefined) throw new Error('no node of the simulated day was emptied and released');
  return found;
}
