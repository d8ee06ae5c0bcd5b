import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { chmod, copyFile, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/**
 * Copies one regular file to a path that must not exist; shares the blocks where the file system can (btrfs, XFS,
 * APFS). The copy's owner may always read and write it, whatever the source says: a service writes its own files.
 */
export async function copyNewFile(source: string, destination: string, mode: number): Promise<void> {
  await copyFile(source, destination, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  await chmod(destination, (mode & 0o777) | 0o600);
}

/** sha256 of a file's content, hex; streamed, so of any size. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** Waits until a file's content is on the disk. */
export async function flushFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Copies one regular file to a path that must not exist, down to the disk. @returns the sha256 of the copy, hex */
export async function copyAndHash(source: string, destination: string, mode: number): Promise<string> {
  await copyNewFile(source, destination, mode);
  const hash = await hashFile(destination);
  await flushFile(destination);
  return hash;
}
