import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { chmod, copyFile, open, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { READ_ONLY_FILE } from '#shared/node/small-file.ts';

/**
 * Copies one regular file. The destination must not exist. If the file system supports it (btrfs, XFS, APFS), the
 * copy shares its blocks with the source. The owner can always read and write the copy, whatever `mode` is, because a
 * service writes to its own files.
 *
 * @param mode permission bits of the copy
 * @throws errno errors, such as EEXIST
 */
export async function copyNewFile(source: string, destination: string, mode: number): Promise<void> {
  await copyFile(source, destination, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  await chmod(destination, (mode & 0o777) | 0o600);
}

/**
 * Returns the sha256 of a file's content in hex. The file is streamed, so it may have any size.
 *
 * @throws errno errors
 */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/**
 * Returns the sha256 of an open file's content in hex. The file stays open.
 *
 * @throws errno errors
 */
export async function hashOpenFile(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(file.createReadStream({ start: 0, highWaterMark: 1 << 20, autoClose: false }), hash);
  return hash.digest('hex');
}

/**
 * Flushes a file's content to the disk. Neither follows a link at the path nor waits for the writer of a pipe,
 * because people may be able to write to the folder.
 *
 * @throws errno errors; ELOOP or EINVAL if a link or a pipe has replaced the file
 */
export async function flushFile(path: string): Promise<void> {
  const file = await open(path, READ_ONLY_FILE);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Copies one regular file as {@link copyNewFile} does, and flushes the copy to the disk.
 *
 * @returns the sha256 of the copy in hex
 * @throws errno errors, such as EEXIST
 */
export async function copyAndHash(source: string, destination: string, mode: number): Promise<string> {
  await copyNewFile(source, destination, mode);
  const hash = await hashFile(destination);
  await flushFile(destination);
  return hash;
}
