import { fstatSync } from 'node:fs';
import { failure } from '../refusal.ts';
import { system } from '../system-calls.ts';

/** Bytes that are read and worked on at a time: less than a millisecond of the event loop. */
const PIECE_BYTES = 131_072;

/** A part of a file; a length of 0 means to its end, as in draft-ietf-secsh-filexfer-extensions-00. */
export interface FileRange {
  readonly offset: number;
  readonly length: number;
}

/** What is read, and whether anybody still wants it. */
export interface Reading {
  readonly file: number;
  readonly range: FileRange;
  readonly isWanted: () => boolean;
}

/**
 * Reads a part of a file piece by piece, in bounded memory, so that others are served in between. What is added to the
 * file meanwhile is not read.
 *
 * @param use must be done with a piece when it returns or resolves
 * @returns how many bytes there were
 * @throws Refusal when the session has ended; errno errors
 */
export async function readPieces(
  { file, range, isWanted }: Reading,
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
