import { createHash } from 'node:crypto';

/** One line of a manifest: a file or an empty folder of a revision. */
export interface RevisionEntry {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  /** sha256 of the content in hex; empty for a folder. */
  readonly hash: string;
}

/** A file that a service keeps (docs/specification.md#persistentpaths), at the moment of a save. */
export interface PersistentFile extends RevisionEntry {
  readonly modifiedAtMs: number;
}

/**
 * Computes the name of a revision: the first 16 hex digits of the sha256 of its manifest. Times and inodes are not
 * included, so uploading the same files again results in the same revision.
 *
 * @param entries sorted by path
 */
export function revisionOf(entries: readonly RevisionEntry[]): string {
  const hash = createHash('sha256');
  for (const { path, size, mode, hash: content } of entries) {
    hash.update(JSON.stringify([path, size, mode, content]));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Matches a path with a part that is empty, `.` or `..`. */
const UNSAFE_PART = /(?:^|\/)\.{0,2}(?:\/|$)/;

/**
 * Returns whether a path names a file inside a folder: it is relative, has no NUL character, and has no part that is
 * empty, `.` or `..`. On Windows, it also has no backslash and no colon, which separate names and drives there.
 */
export function isPathInside(path: string, platform: NodeJS.Platform = process.platform): boolean {
  if (UNSAFE_PART.test(path) || path.includes('\0')) return false;
  return platform !== 'win32' || !/[\\:]/.test(path);
}
