import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { HOUR_MS } from './plot.ts';
import type { NodeEvent, NodeMoment, SimulatedDay } from './simulated-day.ts';

/** Longer tenancies do not fit into a picture. */
const MOST_PAID_HOURS = 6;

/** One node from its order to its release. */
export interface Tenancy {
  readonly node: NodeId;
  /** Time since the start of the day (ms). */
  readonly orderedAt: number;
  readonly paidHours: number;
  readonly moments: readonly NodeMoment[];
  readonly events: readonly NodeEvent[];
}

/**
 * Of the nodes that were released after some hours, returns the one that was drained and resumed most often; of
 * equal ones the one with the longest tenancy.
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
  if (found === undefined) throw new Error('no node of the simulated day was emptied and given back');
  return found;
}
