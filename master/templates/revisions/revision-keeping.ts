import type { RevisionSummary } from './revision-record.ts';

/** Stored revisions of a template that stay: the newest, and earlier ones to go back to. */
export const KEPT_REVISIONS = 10;

/** So long after another one took its place an earlier revision stays, ms: 30 days. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** These always stay: the newest, and the one before for what is just being prepared from it. */
const ALWAYS_KEPT = 2;

/**
 * Tells which stored revisions nobody needs any more.
 *
 * @param revisions in any order
 * @param nowMs ms since epoch
 * @param isUsed true for one that a service runs from; it stays, so that "what differs" can be answered
 */
export function revisionsToRemove(
  revisions: readonly RevisionSummary[],
  nowMs: number,
  isUsed: (revision: string) => boolean,
): string[] {
  const newestFirst = [...revisions].sort((a, b) => b.storedAt - a.storedAt);
  return newestFirst.flatMap(({ revision }, index) => {
    const replacedAt = newestFirst[index - 1]?.storedAt ?? nowMs;
    const kept = index < ALWAYS_KEPT || (index < KEPT_REVISIONS && replacedAt > nowMs - KEPT_MS);
    return kept || isUsed(revision) ? [] : [revision];
  });
}
