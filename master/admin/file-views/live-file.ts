import { MAX_PIECE_BYTES } from '#shared/model/service-files.ts';
import type { FileSource } from '#master/files/tasks/fetch/source.ts';
import type { ViewFile } from '#master/files/sftp/views/view.ts';
import { toAttrs } from './attributes.ts';

/**
 * Returns a piece of a file by its number, which starts at 0. Each piece has 512 KB. The last one has less, or is
 * empty.
 */
export type ReadPiece = (piece: number) => ReturnType<FileSource['read']>;

/** Opens a file that can only be read in pieces. Reads the first piece, and throws what `readPiece` throws. */
export async function openLiveFile(readPiece: ReadPiece): Promise<ViewFile> {
  const { bytes, changedAt } = await readPiece(0);
  return {
    attrs: toAttrs({ kind: 'file', bytes, changedAt }),
    read: (position, length) => readRange(readPiece, position, length),
    close: () => undefined,
  };
}

/**
 * Reads a range of a file from its pieces. Returns fewer bytes than requested only at the end of the file.
 *
 * @param position offset in the file (bytes)
 * @param length at most the size of a piece (bytes)
 * @throws whatever `readPiece` throws
 */
export async function readRange(readPiece: ReadPiece, position: number, length: number): Promise<Buffer> {
  const first = Math.floor(position / MAX_PIECE_BYTES);
  const start = position - first * MAX_PIECE_BYTES;
  const { content } = await readPiece(first);
  const head = content.subarray(start, start + length);
  // A piece that is not full is the last one of the file.
  if (head.length === length || content.length < MAX_PIECE_BYTES) return head;
  const next = await readPiece(first + 1);
  return Buffer.concat([head, next.content.subarray(0, length - head.length)]);
}
