import type { Wait } from '#shared/model/wait.ts';
import type { Market, NodeSnapshot } from '../snapshot/snapshot.ts';

/**
 * Maximum number of nodes that are ordered or booting at the same time. It limits the cost of a mistake in the
 * configuration until a person notices it.
 */
export const MAX_COMING = 20;

/** Facts that decide whether nodes may be ordered now. */
export interface OrderFacts {
  /** Whether configure mode is on (`provider.configure_mode`). */
  readonly configureMode: boolean;
  readonly paused: Market['paused'];
  /** Why the provider offers no suitable server type; null if it offers one. */
  readonly noOffer: Pick<Wait, 'message' | 'until'> | null;
  /** Why another node would exceed a limit of the master configuration; null if it would not. */
  readonly overBudget: Pick<Wait, 'message' | 'until'> | null;
  /** Number of nodes that are ordered or booting. */
  readonly coming: number;
}

/**
 * Returns why no node may be ordered now; null if ordering is allowed. If several reasons apply, the first reason of
 * this list is returned: configure mode, a pause after a rejected order, no offer, the budget, and the maximum number
 * of nodes that are ordered or booting. The planner calls this function, and the provider calls it again right before
 * an order.
 *
 * @param now ms since epoch
 */
export function whyNoOrder(
  { configureMode, paused, noOffer, overBudget, coming }: OrderFacts,
  now: number,
): Wait | null {
  if (configureMode) {
    const message =
      'A node is needed, but none is ordered while configure mode is on. Switch configure_mode off in the master configuration.';
    return { reason: 'CONFIGURE_MODE', message, until: null };
  }
  if (paused !== null && (paused.until === null || paused.until > now)) {
    return { reason: 'ORDERING_PAUSED', ...paused };
  }
  if (noOffer !== null) return { reason: 'NO_OFFER', ...noOffer };
  if (overBudget !== null) return { reason: 'BUDGET_REACHED', ...overBudget };
  if (coming < MAX_COMING) return null;
  const message = `${MAX_COMING} nodes are starting, which is the maximum at a time. More are ordered as these become ready.`;
  return { reason: 'ORDERING_PAUSED', message, until: null };
}

/** Who requests the deletion of a node: a user, or the rules of the fleet. */
export type ReleaseRequester = 'user' | 'rules';

/** Returns who wants the node to be deleted: `user` if a person requested its release, otherwise `rules`. */
export function requesterOf({ leaving }: Pick<NodeSnapshot, 'leaving'>): ReleaseRequester {
  return leaving ? 'user' : 'rules';
}

/**
 * Reports whether a node may be deleted: in configure mode only a user may delete one
 * (docs/specification.md#provider).
 */
export function mayRelease(requester: ReleaseRequester, configureMode: boolean): boolean {
  return requester === 'user' || !configureMode;
}
