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

/**
 * Copies one regular file like {@link copyNewFile}, but only if the copy shares all its blocks with the source and
 * therefore takes no space.
 *
 * @returns whether the file was copied. If not, for any reason, there is no new file
 */
export async function cloneNewFile(source: string, destination: string, mode: number): Promise<boolean> {
  try {
    await copyFile(source, destination, CLONE);
  } catch {
    return false;
  }
  await chmod(destination, (mode & 0o777) | 0o600);
  return true;
}

/** Thrown if a file is truncated while it is read. */
export class FileTruncated extends Error {}

/** Maximum size of the pieces in which a file is read (bytes). */
const PIECE_BYTES = 1_048_576;

/**
 * Reads the first `size` bytes of an open file in pieces. Ends even if other programs write to the file meanwhile. A
 * piece is valid until the next one is read.
 *
 * @throws FileTruncated; errno errors
 */
export async function* piecesOf(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size));
  for (let at = 0; at < size;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - at), at);
    if (bytesRead === 0) throw new FileTruncated(`a file has ${at} instead of ${size} bytes by now`);
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** An open file, and the path with which it was opened. */
export interface OpenedFile {
  readonly file: FileHandle;
  readonly path: string;
}

/**
 * Copies the first `size` bytes of an open file. The destination must not exist. Other programs may write to the file
 * meanwhile. `copyFile` of Node.js would never return if such a program truncates the file. If the file system
 * supports it, the copy shares its blocks with the file.
 *
 * @param mode permission bits of the copy; the owner can always read and write it
 * @returns the sha256 of the copy in hex
 * @throws FileTruncated; errno errors, such as EEXIST
 */
export async function copyOpenFile(
  { file, path }: OpenedFile,
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
  try {
    if (isClone && (await copy.stat()).size > size) await copy.truncate(size);
    for await (const piece of piecesOf(isClone ? copy : file, size)) {
      hash.update(piece);
      // Writes all bytes, or fails.
      if (!isClone) await copy.writeFile(piece);
    }
    await copy.chmod(ownMode);
  } finally {
    await copy.close();
  }
  return hash.digest('hex');
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

/** Flags for opening a file to flush it. Windows flushes only files that are open for writing. */
const FLUSH_FLAGS = process.platform === 'win32' ? constants.O_RDWR : READ_ONLY_FILE;

/**
 * Flushes a file's content to the disk. Neither follows a link at the path nor waits for the writer of a pipe,
 * because people may be able to write to the folder.
 *
 * @throws errno errors; ELOOP or EINVAL if a link or a pipe has replaced the file
 */
export async function flushFile(path: string): Promise<void> {
  const file = await open(path, FLUSH_FLAGS);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
