import { fstatSync } from 'node:fs';
import { failure } from '../protocol/refusal.ts';
import { system } from '../jail/system-calls.ts';

/**
 * Number of bytes that are processed at a time. Processing them takes less than a millisecond, during which the event
 * loop is blocked.
 */
const PIECE_BYTES = 131_072;

/**
 * A part of a file (bytes). A length of 0 means everything up to the end of the file, as in
 * draft-ietf-secsh-filexfer-extensions-00.
 */
export interface FileRange {
  readonly offset: number;
  readonly length: number;
}

/** The file and the part of it to read. `isWanted` returns whether the result is still needed. */
export interface PieceRequest {
  readonly file: number;
  readonly range: FileRange;
  readonly isWanted: () => boolean;
}

/**
 * Reads a part of a file piece by piece. Uses limited memory, and lets other requests run in between. Does not read
 * bytes that are appended after the start.
 *
 * @param use must not access the piece after it has returned, or after its promise has resolved
 * @returns the number of bytes read
 * @throws Refusal if the session has ended; errno errors
 */
export async function readPieces(
  { file, range, isWanted }: PieceRequest,
  use: (piece: Buffer) => Promise<void> | void,
): Promise<number> {
  const { size } = fstatSync(file);
  const end = range.length === 0 ? size : Math.min(size, range.offset + range.length);
  const buffer = Buffer.allocUnsafeSlow(Math.max(0, Math.min(PIECE_BYTES, end - range.offset)));
  let at = range.offset;
  while (at < end) {
    if (!isWanted()) throw failure('The session has ended');
    const { bytesRead } = await system.read(file, buffer, 0, Math.min(buffer.length, end - at), at);
    if (bytesRead === 0) break;
    await use(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return Math.max(0, at - range.offset);
}
