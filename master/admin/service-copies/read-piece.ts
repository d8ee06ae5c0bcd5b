import { OverworldError } from '#shared/errors/overworld-error.ts';
import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import { MAX_PIECE_BYTES } from '#shared/model/service-files.ts';
import type { FileSource } from '#master/files/tasks/fetch/source.ts';

type FilePiece = Awaited<ReturnType<FileSource['read']>>;

/** A piece of a service's file. Sizes in bytes. */
export interface WantedPiece {
  readonly source: Pick<FileSource, 'read'>;
  readonly path: string;
  readonly from: number;
  readonly length: number;
}

/**
 * Reads a piece of a service's file, and removes secrets of the network from it. A small file is passed to `hide` as
 * a whole, because a secret may begin before the piece or end after it. Large files are not searched: configuration
 * that contains a secret is small.
 *
 * @returns the piece of the file after `hide`, and the size of that file
 * @throws OverworldError FILE_FORBIDDEN (the file with the service's link token), and what the source throws
 */
export async function readPiece(
  { source, path, from, length }: WantedPiece,
  hide: (content: Buffer) => Buffer,
): Promise<FilePiece> {
  if (path === HAND_OVER_FILE) {
    const why = 'it contains the access of the service to the master';
    throw new OverworldError('FILE_FORBIDDEN', { path, why });
  }
  const piece = await source.read(path, { from, length });
  if (piece.bytes > MAX_PIECE_BYTES) return piece;
  const isWhole = from === 0 && piece.content.length === piece.bytes;
  const whole = isWhole ? piece : await source.read(path, { from: 0, length: MAX_PIECE_BYTES });
  const shown = hide(whole.content);
  const bytes = whole.bytes + shown.length - whole.content.length;
  return { ...whole, content: shown.subarray(from, from + length), bytes };
}
