import type { SimNode } from './entities.ts';

const HOUR_MS = 3_600_000;

/** When a node was paid for, and what an hour of it cost. */
export type Rented = Pick<SimNode, 'orderedAt' | 'deletedAt'> & { readonly hourlyPrice: number };

export interface Bill {
  readonly nodeHours: number;
  /** EUR. */
  readonly cost: number;
}

/** Every started hour from the order to the deletion is paid; what still exists is paid to the end. */
export function billFor(rented: Iterable<Rented>, end: number): Bill {
  let [nodeHours, cost] = [0, 0];
  for (const { orderedAt, deletedAt, hourlyPrice } of rented) {
    const hours = Math.max(1, Math.ceil(((deletedAt ?? end) - orderedAt) / HOUR_MS));
    nodeHours += hours;
    cost += hours * hourlyPrice;
  }
  return { nodeHours, cost };
}
