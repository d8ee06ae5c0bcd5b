import type { RevisionSummary } from './revision-record.ts';

/** Maximum number of stored revisions of a template: the newest one, and earlier ones that can be restored. */
export const KEPT_REVISIONS = 10;

/** Time for which a revision is kept after a newer one has replaced it (ms): 30 days. */
const KEPT_MS = 30 * 24 * 3_600_000;

/**
 * Number of revisions that are always kept: the newest and the one before it. A service that is being created at
 * this moment may still use the one before.
 */
const ALWAYS_KEPT = 2;

/**
 * Returns the stored revisions that can be removed: those beyond {@link KEPT_REVISIONS} and those replaced more
 * than 30 days ago. The two newest and those in use are never returned.
 *
 * Example: of 12 revisions stored within an hour, none of them in use, the two oldest are returned.
 *
 * @param revisions in any order
 * @param nowMs current time (ms since epoch)
 * @param isUsed returns whether a service runs from the revision; such a revision is kept so that it can be
 *   compared with others
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
