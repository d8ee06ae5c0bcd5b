import { chmod, lstat, utimes } from 'node:fs/promises';
import { copyNewFile } from '../copy-file.ts';
import { modifiedAtMs } from './scan-folder.ts';
import type { RevisionRecord } from './revision-record.ts';

/** Thrown if a stored file does not match its record, because it was modified or the disk is faulty. */
export class StoredFileDamaged extends Error {}

/**
 * Copies one file of a stored revision, and checks its size against the manifest. The destination must not exist.
 *
 * @param asItWas whether to restore permission bits and modification time as well; a service does not need them
 * @throws StoredFileDamaged, errno errors
 */
export async function copyOut(
  stored: string,
  { path, size, mode, stamp }: RevisionRecord['entries'][number],
  { to, asItWas }: { readonly to: string; readonly asItWas: boolean },
): Promise<void> {
  await copyNewFile(stored, to, mode);
  const copied = await lstat(to);
  if (copied.size !== size) {
    throw new StoredFileDamaged(`the stored copy of ${path} has ${copied.size} instead of ${size} bytes`);
  }
  if (!asItWas) return;
  const modifiedAt = modifiedAtMs(stamp) / 1000;
  await utimes(to, modifiedAt, modifiedAt);
  await chmod(to, mode);
}
