import type { RevisionEntry } from './manifest.ts';

/** Differences between the contents of two revisions, as sorted paths. Empty folders end in `/`. */
export interface RevisionChanges {
  readonly added: string[];
  readonly removed: string[];
  readonly changed: string[];
}

/**
 * Compares two manifests by content and permission bits. Times are ignored.
 *
 * Example: the same files in both, but `server.jar` with another hash, give `changed: ['server.jar']`.
 */
export function compareManifests(
  from: readonly RevisionEntry[],
  to: readonly RevisionEntry[],
): RevisionChanges {
  const before = new Map(from.map((entry) => [entry.path, entry]));
  const after = new Set(to.map(({ path }) => path));
  return {
    added: to.filter(({ path }) => !before.has(path)).map(({ path }) => path),
    removed: from.filter(({ path }) => !after.has(path)).map(({ path }) => path),
    changed: to.filter((entry) => !isSame(entry, before.get(entry.path) ?? entry)).map(({ path }) => path),
  };
}

/** Returns whether two entries have equal content and permission bits. */
export function isSame(a: RevisionEntry, b: RevisionEntry): boolean {
  return a.hash === b.hash && a.mode === b.mode && a.size === b.size;
}
