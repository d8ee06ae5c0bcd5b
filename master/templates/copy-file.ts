import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { chmod, copyFile, open, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { READ_ONLY_FILE } from '#shared/node/small-file.ts';
import { pathOfOpened } from './links.ts';

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

/** Thrown if a file is truncated while it is copied. */
export class FileTruncated extends Error {}

/** Size of the pieces in which a file is copied (bytes). */
const PIECE_BYTES = 1_048_576;

/**
 * Copies the first `size` bytes of an open file. The destination must not exist. Other programs may write to the file
 * meanwhile: no more than `size` bytes are copied, and the call ends even if the file becomes shorter. For such a
 * file, `copyFile` of Node.js would wait without end. If the file system supports it, the copy shares its blocks with
 * the file.
 *
 * @param path the path with which the file was opened
 * @param mode permission bits of the copy; the owner can always read and write it
 * @returns the sha256 of the copy in hex
 * @throws FileTruncated; errno errors, such as EEXIST
 */
export async function copyOpenFile(
  { file, path }: { readonly file: FileHandle; readonly path: string },
  destination: string,
  { size, mode }: { readonly size: number; readonly mode: number },
): Promise<string> {
  const ownMode = (mode & 0o777) | 0o600;
  const isClone = await copyFile(pathOfOpened(file, path), destination, CLONE).then(
    () => true,
    () => false,
  );
  // The clone has the mode of the file, with which the master may not be able to open it.
  if (isClone) await chmod(destination, ownMode);
  const copy = await open(destination, isClone ? 'r+' : 'wx', ownMode);
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size));
  const source = isClone ? copy : file;
  try {
    // A shorter clone ends the loop below.
    if (isClone && (await copy.stat()).size > size) await copy.truncate(size);
    for (let at = 0; at < size;) {
      const { bytesRead } = await source.read(piece, 0, Math.min(piece.length, size - at), at);
      if (bytesRead === 0) throw new FileTruncated(`${path} became shorter while it was copied`);
      const bytes = piece.subarray(0, bytesRead);
      hash.update(bytes);
      if (!isClone) await writeAll(copy, bytes, at);
      at += bytesRead;
    }
    await copy.chmod(ownMode);
  } finally {
    await copy.close();
  }
  return hash.digest('hex');
}

/** Writes all bytes at a position of a file. A single call may write fewer, for example if the disk becomes full. */
async function writeAll(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
}

/** Makes a copy that shares all blocks, or fails. */
const CLONE = constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL;

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
