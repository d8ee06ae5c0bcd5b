import type { NodeSnapshot } from '../snapshot/snapshot.ts';

/** Billing period of a cloud node (ms). */
export const HOUR_MS = 3_600_000;

/** Times before the end of a paid hour that decide when cloud nodes are drained and released (ms). */
export const RELEASE = {
  /**
   * Time before the end of a paid hour from which an unneeded node is drained (ms). Players need time to leave the
   * node. Until they have left, the node can be resumed at once. In a simulation of five days (test/bench/simulator),
   * 55 min costs 0.5–3 % less than 20 min.
   */
  drainFromMs: 3_300_000,
  /**
   * Time before the end of a paid hour from which an empty node is released (ms). An earlier release would waste
   * paid time.
   */
  fromMs: 180_000,
  /**
   * Time before the end of a paid hour until which a node is released (ms). Later is too late: the deletion takes a
   * moment, and a deletion after the end of the hour costs another hour.
   */
  untilMs: 30_000,
  /**
   * Maximum time by which the paid hour of an empty node may end later than that of a node with services, so that the
   * empty node is released instead of the other (ms). It costs at most the price of this time, and no service moves.
   */
  emptyFirstMs: 600_000,
} as const;

/**
 * Returns the end of a cloud node's current paid hour (ms since epoch). Every started hour since `since` is charged
 * in full.
 *
 * Example: rented at 10:10; at 10:15 paid until 11:10, at 11:10:01 paid until 12:10.
 */
export function paidUntil({ since }: { readonly since: number }, now: number): number {
  return since + Math.max(1, Math.ceil((now - since) / HOUR_MS)) * HOUR_MS;
}

/**
 * Reports whether an unneeded node may be drained now: late in its paid hour, but early enough to release it before
 * the hour ends.
 *
 * Example: with a paid hour that ends at 11:00, true from 10:05:00 to 10:59:30.
 */
export function isDrainTime(rental: NonNullable<NodeSnapshot['rental']>, now: number): boolean {
  const leftMs = paidUntil(rental, now) - now;
  return leftMs <= RELEASE.drainFromMs && leftMs >= RELEASE.untilMs;
}

/**
 * Reports whether an empty node may be released now, which is shortly before the end of its paid hour.
 *
 * Example: with a paid hour that ends at 11:00, true from 10:57:00 to 10:59:30.
 */
export function isReleaseTime(rental: NonNullable<NodeSnapshot['rental']>, now: number): boolean {
  const leftMs = paidUntil(rental, now) - now;
  return leftMs <= RELEASE.fromMs && leftMs >= RELEASE.untilMs;
}
