import type { NodeSnapshot } from '../snapshot/snapshot.ts';

/** What is paid for at once. */
export const HOUR_MS = 3_600_000;

/** When rented nodes are given back. */
export const RELEASE = {
  /**
   * From so long before the end of a paid hour on, a node that is not needed is emptied: its players need time to leave,
   * and until they have it can be taken back at once. In the simulator's five days 55 min cost 0.5–3 % less than 20 min.
   */
  drainFromMs: 3_300_000,
  /** From so long before the end of a paid hour on: earlier would give away what is paid for. */
  fromMs: 180_000,
  /** Until so long before it: the deletion takes a moment, and one that comes too late costs a whole hour. */
  untilMs: 30_000,
} as const;

/**
 * End of the last hour that is paid for at a time, ms since epoch: every started hour since `since` counts in full.
 *
 * Example: rented at 10:10; at 10:15 paid until 11:10, at 11:10:01 paid until 12:10.
 */
export function paidUntil({ since }: { readonly since: number }, now: number): number {
  return since + Math.max(1, Math.ceil((now - since) / HOUR_MS)) * HOUR_MS;
}

/** True in the last part of a paid hour: the time to begin to empty a node, early enough for it to be given back. */
export function isDrainTime(rental: NonNullable<NodeSnapshot['rental']>, now: number): boolean {
  const leftMs = paidUntil(rental, now) - now;
  return leftMs <= RELEASE.drainFromMs && leftMs >= RELEASE.untilMs;
}

/** True shortly before the end of a paid hour: the time to give an empty node back. */
export function isReleaseTime(rental: NonNullable<NodeSnapshot['rental']>, now: number): boolean {
  const leftMs = paidUntil(rental, now) - now;
  return leftMs <= RELEASE.fromMs && leftMs >= RELEASE.untilMs;
}
