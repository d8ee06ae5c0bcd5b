import { OverworldError } from '#shared/errors/overworld-error.ts';
import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import { MAX_PIECE_BYTES } from '#shared/model/service-files.ts';
import type { SecretFilter } from '#master/files/tasks/fetch/secret-filter.ts';
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
 * Reads a piece of a service's file, without a secret of the network. In a small file, the secret is replaced by a word, so
 * such a file is read as a whole. In a larger one, the secret is masked, also if it begins before the piece or ends behind it.
 *
 * @returns the piece of the file without the secret, and the size of that file
 * @throws OverworldError FILE_FORBIDDEN (the file with the service's link token), and what the source throws
 */
export async function readPiece(wanted: WantedPiece, secret: SecretFilter): Promise<FilePiece> {
  const { source, path, from, length } = wanted;
  if (path === HAND_OVER_FILE) {
    const why = 'it contains the access of the service to the master';
    throw new OverworldError('FILE_FORBIDDEN', { path, why });
  }
  const piece = await source.read(path, { from, length });
  if (piece.bytes > MAX_PIECE_BYTES)
    return { ...piece, content: await masked(wanted, piece.content, secret) };
  const isWhole = from === 0 && piece.content.length === piece.bytes;
  const whole = isWhole ? piece : await source.read(path, { from: 0, length: MAX_PIECE_BYTES });
  const shown = secret.replace(whole.content);
  const bytes = whole.bytes + shown.length - whole.content.length;
  return { ...whole, content: shown.subarray(from, from + length), bytes };
}

/** Masks the secret in a piece of a file. Reads what is beside the piece only if a part of the secret may be there. */
async function masked(
  { source, path, from }: WantedPiece,
  content: Buffer,
  secret: SecretFilter,
): Promise<Buffer> {
  const beside = secret.length - 1;
  const read = async (at: number, length: number): Promise<Buffer> =>
    length === 0 ? Buffer.alloc(0) : (await source.read(path, { from: at, length })).content;
  const lead = secret.mayBeginBefore(content) ? Math.min(from, beside) : 0;
  const before = await read(from - lead, lead);
  const behind = await read(from + content.length, secret.mayEndBehind(content) ? beside : 0);
  const shown = secret.mask(Buffer.concat([before, content, behind]));
  return shown.subarray(before.length, before.length + content.length);
}
