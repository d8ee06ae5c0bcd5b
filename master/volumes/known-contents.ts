import { link, lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { hashFile } from '#master/templates/copy-file.ts';
import type { PersistentFile } from '#master/templates/revisions/manifest.ts';
import type { RevisionLease } from '#master/templates/template-files.ts';

/** Number of files that are linked and verified at the same time. */
const PARALLEL_FILES = 8;

/** Stored files of one revision or save, opened for reading. */
export type StoredFiles = Pick<RevisionLease, 'entries' | 'pathOf' | 'release'>;

/**
 * Looks for contents in files that are already stored. For each content that it finds, creates a hard link in a
 * folder, with the hash as its name. Verifies the hashes. Skips stored files that cannot be read, are damaged, or are
 * on another disk.
 *
 * @param missing files whose contents are needed, each content at most once
 * @param stored revisions and saves to look in, one after the other. Each is released after use
 * @returns the files whose contents were not found
 */
export async function linkKnown(
  missing: readonly PersistentFile[],
  folder: string,
  stored: AsyncIterable<StoredFiles>,
): Promise<PersistentFile[]> {
  let left = [...missing];
  if (left.length === 0) return left;
  for await (const files of stored) {
    try {
      left = await linkFrom(files, left, folder);
    } finally {
      files.release();
    }
    if (left.length === 0) break;
  }
  return left;
}

async function linkFrom(
  { entries, pathOf }: StoredFiles,
  missing: readonly PersistentFile[],
  folder: string,
): Promise<PersistentFile[]> {
  const paths = new Map(entries.map(({ hash, path }) => [hash, path]));
  const found = new Set<string>();
  const known = missing.filter(({ hash }) => paths.has(hash));
  await forEachLimited(known, PARALLEL_FILES, async ({ hash, size }) => {
    const path = paths.get(hash) ?? '';
    if (await isLinked(pathOf(path), join(folder, hash), { hash, size })) found.add(hash);
  });
  return missing.filter(({ hash }) => !found.has(hash));
}

async function isLinked(
  stored: string,
  target: string,
  { hash, size }: Pick<PersistentFile, 'hash' | 'size'>,
): Promise<boolean> {
  try {
    await link(stored, target);
    if ((await lstat(target)).size === size && (await hashFile(target)) === hash) return true;
  } catch {
    // The content is then transferred from the node.
  }
  await rm(target, { force: true });
  return false;
}
