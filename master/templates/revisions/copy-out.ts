import { chmod, lstat, utimes } from 'node:fs/promises';
import { copyNewFile } from '../copy-file.ts';
import { modifiedAtMs } from './manifest.ts';
import type { RevisionRecord } from './revision-record.ts';

/** A stored file that is not what its record says: somebody, or the disk, changed what nobody may change. */
export class StoredFileDamaged extends Error {}

/**
 * Copies one file of a stored revision to a path that must not exist, and compares its size with the manifest.
 *
 * @param asItWas also gives it the permission bits and the time that people gave it; a service needs neither
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
