import { constants, type Stats } from 'node:fs';
import { copyFile, lstat, open } from 'node:fs/promises';
import { READ_ONLY_FILE } from '#shared/node/small-file.ts';
import { copyNewFile } from '../copy-file.ts';
import { modifiedAtMs } from './scan-folder.ts';
import type { RevisionRecord } from './revision-record.ts';

/** Thrown if a stored file does not match its record, because it was modified or the disk is faulty. */
export class StoredFileDamaged extends Error {}

/**
 * Copies one file of a stored revision, and checks its size against the manifest. The destination must not exist.
 *
 * @param asItWas whether the copy gets the exact permission bits and the modification time, which a service does not
 *   need. If true, the destination may be in a folder to which people can write
 * @throws StoredFileDamaged, errno errors
 */
export async function copyOut(
  stored: string,
  entry: RevisionRecord['entries'][number],
  { to, asItWas }: { readonly to: string; readonly asItWas: boolean },
): Promise<void> {
  if (asItWas) {
    await copyAsItWas(stored, entry, to);
    return;
  }
  await copyNewFile(stored, to, entry.mode);
  requireSize(entry, await lstat(to));
}

/**
 * Flags for opening a copy to set its mode and time. The copy may be read-only; its owner may set mode and time even
 * then. Windows sets the time only through a handle for writing.
 */
const COPY_FLAGS = process.platform === 'win32' ? constants.O_RDWR : READ_ONLY_FILE;

/** Sets mode and time through a handle, because a link may take the place of the copy. */
async function copyAsItWas(
  stored: string,
  entry: RevisionRecord['entries'][number],
  to: string,
): Promise<void> {
  await copyFile(stored, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  const copy = await open(to, COPY_FLAGS);
  try {
    requireSize(entry, await copy.stat());
    // Node.js replaces a negative number, a time before 1970, by the current time.
    const modifiedAt = new Date(modifiedAtMs(entry.stamp));
    await copy.utimes(modifiedAt, modifiedAt);
    await copy.chmod(entry.mode);
  } finally {
    await copy.close();
  }
}

function requireSize({ path, size }: RevisionRecord['entries'][number], copied: Stats): void {
  if (copied.size === size) return;
  throw new StoredFileDamaged(`the stored copy of ${path} has ${copied.size} instead of ${size} bytes`);
}
