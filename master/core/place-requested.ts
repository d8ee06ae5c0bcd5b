import type { Action, ActionOf } from './action.ts';
import { plan } from './plan.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/**
 * Returns the starts of services that a plan has just requested and that have room now, so that request and node are
 * saved at once. The next round decides on all others, and explains why they wait.
 *
 * @param actions the actions of the plan
 * @param takeSnapshot returns the snapshot that contains its requests, starts and stops. Its drains and releases are not
 *   in it yet, so nothing is placed on these nodes
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
