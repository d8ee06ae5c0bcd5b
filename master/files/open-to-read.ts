import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { FileArea, PlacedPath } from './sftp/jail/file-area.ts';
import { failure } from './sftp/protocol/refusal.ts';
import { toBytes } from './sftp/protocol/virtual-path.ts';

/**
 * Flag for `open`, so that the call does not block a thread if a pipe has replaced the file. Has no effect on regular
 * files, and does not exist on Windows.
 */
const O_NONBLOCK = (constants.O_NONBLOCK as number | undefined) ?? 0;

/**
 * Opens a regular file inside the user's file area for reading. Refuses a link.
 *
 * @throws Refusal; errno errors
 */
export async function openToRead(area: FileArea, place: PlacedPath): Promise<FileHandle> {
  const pinned = await area.pin(place, false);
  try {
    if (!pinned.stat().isFile()) throw failure('It is not a regular file');
    return await open(toBytes(pinned.path), constants.O_RDONLY | O_NONBLOCK | pinned.openFlags);
  } finally {
    pinned.close();
  }
}

/** Number of bytes that are read at a time. Hashing so few bytes does not noticeably delay other requests. */
const PIECE_BYTES = 256 * 1024;

/**
 * Yields the content of an open file piece by piece. A piece is valid only until the next one is requested.
 *
 * @throws the signal's abort reason; errno errors
 */
export async function* pieces(file: FileHandle, signal: AbortSignal): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, PIECE_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
