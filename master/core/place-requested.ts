import type { Action, ActionOf } from './action.ts';
import { plan } from './plan.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/**
 * Returns the starts of services that a plan has just requested and that have room now, so that the caller can save a
 * service's request and its node together. The next round decides about the other services and explains why they wait.
 *
 * @param actions the actions of the plan
 * @param takeSnapshot returns a snapshot in which the plan's requests, starts and stops are applied. The plan's
 *   drains and releases are not applied in it yet, so nothing is placed on the nodes that they concern
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
