import type { Action, ActionOf } from './action.ts';
import { plan } from './plan.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/**
 * Returns starts for the services that a plan has just requested and for which there is room now. The caller can then
 * save the request of a service together with its node. The next round decides about the other services, and explains
 * why they wait.
 *
 * @param actions the actions of the plan
 * @param takeSnapshot returns a snapshot in which the plan's requests, starts and stops are applied, but not its
 * drains and releases. Starts on nodes that the plan drains or releases are therefore removed from the result
 */
export function placeRequested(
  actions: readonly Action[],
  takeSnapshot: () => Snapshot,
): readonly ActionOf<'start'>[] {
  const requested = new Set(actions.flatMap((one) => (one.kind === 'request' ? [one.service] : [])));
  if (requested.size === 0) return [];
  const closing = new Set(
    actions.flatMap((one) => (one.kind === 'drain' || one.kind === 'release' ? [one.node] : [])),
  );
  return plan(takeSnapshot()).actions.filter(
    (one): one is ActionOf<'start'> =>
      one.kind === 'start' && requested.has(one.service) && !closing.has(one.node),
  );
}
