import type { SimNode } from './entities.ts';

const HOUR_MS = 3_600_000;

/** Time for which a node was rented, and its price per hour. */
export type Rented = Pick<SimNode, 'orderedAt' | 'deletedAt'> & { readonly hourlyPrice: number };

export interface Bill {
  readonly nodeHours: number;
  /** Total cost (EUR). */
  readonly cost: number;
}

/**
 * Returns the total bill. Each started hour from the order to the deletion is paid. Nodes that still exist are paid
 * until `end`.
 */
export function billFor(rented: Iterable<Rented>, end: number): Bill {
  let [nodeHours, cost] = [0, 0];
  for (const { orderedAt, deletedAt, hourlyPrice } of rented) {
    const hours = Math.max(1, Math.ceil(((deletedAt ?? end) - orderedAt) / HOUR_MS));
    nodeHours += hours;
    cost += hours * hourlyPrice;
  }
  return { nodeHours, cost };
}
