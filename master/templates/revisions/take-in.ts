import { link, lstat } from 'node:fs/promises';
import type { DiskReserve } from '#master/store/disk-reserve.ts';
import { copyNewFile, copyOpenFile, FileTruncated, flushFile } from '../copy-file.ts';
import { openWithoutLinks } from '../links.ts';
import { StoredFileDamaged } from './copy-out.ts';
import type { RevisionEntry } from './manifest.ts';

/** A file whose content is stored. */
export interface FileContent {
  readonly path: string;
  /**
   * Inode of the file if other programs may write to its folder. Its path must be the real path then. Null if only
   * the master writes to this folder.
   */
  readonly inode: bigint | null;
  /** Whether the content is already on the disk. If false, it is flushed. */
  readonly isFlushed: boolean;
}

/**
 * Adds a file to a revision that is being stored: as a hard link, or as a copy where links are not possible. When the
 * call resolves, the content is on the disk. A file or link that has replaced the file in the meantime is not used.
 *
 * @param to path of the new file, in a folder to which only the master writes
 * @throws StoredFileDamaged if something has replaced the file, or if its size differs from its entry;
 *   DiskReserveReached; errno errors
 */
export async function takeIn(
  content: FileContent,
  {
    entry,
    to,
    reserve,
  }: { readonly entry: RevisionEntry; readonly to: string; readonly reserve: DiskReserve },
): Promise<void> {
  const { path, inode } = content;
  const isLinked = await link(path, to).then(
    () => true,
    () => false,
  );
  // The file system does not support hard links or has reached their limit, so the file is copied.
  if (!isLinked) await reserve.use(entry.size, () => copyFrom(content, entry, to));
  const taken = await lstat(to, { bigint: true });
  if (!taken.isFile() || (isLinked && inode !== null && taken.ino !== inode))
    throw new StoredFileDamaged(`${entry.path} was replaced by another file`);
  if (Number(taken.size) !== entry.size)
    throw new StoredFileDamaged(`${entry.path} has ${taken.size} instead of ${entry.size} bytes`);
  if (!isLinked || !content.isFlushed) await flushFile(to);
}

async function copyFrom({ path, inode }: FileContent, entry: RevisionEntry, to: string): Promise<void> {
  if (inode === null) {
    await copyNewFile(path, to, entry.mode);
    return;
  }
  const file = await openWithoutLinks(path);
  if (file === null) throw new StoredFileDamaged(`${entry.path} is no longer a file`);
  try {
    const hash = await copyOpenFile({ file, path }, to, entry);
    if (hash !== entry.hash) throw new StoredFileDamaged(`${entry.path} has other content by now`);
  } catch (error) {
    throw error instanceof FileTruncated ? new StoredFileDamaged(error.message) : error;
  } finally {
    await file.close();
  }
}
