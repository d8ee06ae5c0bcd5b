import type { Wait } from '#shared/model/wait.ts';
import type { ActionOf } from './action.ts';
import { plan } from './plan.ts';
import { apply } from './snapshot/apply.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/** Maximum number of rounds. Orders follow the requests of services within a few rounds. */
const MAX_ROUNDS = 20;

/** Nodes that would be ordered now, and the reason why no more nodes are ordered. */
export interface PreviewedOrders {
  readonly orders: readonly ActionOf<'order'>[];
  readonly noOrder: Wait | null;
}

/**
 * Returns the nodes that the rules would order at the time of the snapshot. Plans and applies round after round at
 * this same time until a plan is empty, for at most 20 rounds. Has no side effects.
 */
export function previewOrders(snapshot: Snapshot): PreviewedOrders {
  const orders: ActionOf<'order'>[] = [];
  let current = snapshot;
  let planned = plan(current);
  for (let round = 0; round < MAX_ROUNDS && planned.actions.length > 0; round += 1) {
    for (const action of planned.actions) if (action.kind === 'order') orders.push(action);
    current = apply(current, planned);
    planned = plan(current);
  }
  return { orders, noOrder: planned.noOrder };
}
