import { OverworldError } from '#shared/errors/overworld-error.ts';
import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import type { SecretFilter } from '#master/files/tasks/fetch/secret-filter.ts';
import type { FileSource } from '#master/files/tasks/fetch/source.ts';

type FilePiece = Awaited<ReturnType<FileSource['read']>>;

/** The piece of a service's file that is read. `from` and `length` in bytes. */
export interface WantedPiece {
  readonly source: Pick<FileSource, 'read'>;
  readonly path: string;
  readonly from: number;
  readonly length: number;
}

/**
 * Checks that clients may read a file of a service.
 *
 * @throws OverworldError FILE_FORBIDDEN for the file that contains the service's link token
 */
export function requireReadable(path: string): void {
  if (path !== HAND_OVER_FILE) return;
  const why = 'it contains the access of the service to the master';
  throw new OverworldError('FILE_FORBIDDEN', { path, why });
}

/**
 * Reads a piece of a service's file, and hides the network's secret in it. Also hides the secret if only a part of it
 * is in the piece.
 *
 * @throws OverworldError as {@link requireReadable}; whatever the source throws
 */
export async function readPiece(wanted: WantedPiece, secret: SecretFilter): Promise<FilePiece> {
  const { source, path, from, length } = wanted;
  requireReadable(path);
  const piece = await source.read(path, { from, length });
  return { ...piece, content: await hidden(wanted, piece.content, secret) };
}

/**
 * Hides the secret in a piece of a file. Reads the bytes before and after the piece only if a part of the secret may
 * be there.
 */
async function hidden(
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
  const shown = secret.hide(Buffer.concat([before, content, behind]));
  return shown.subarray(before.length, before.length + content.length);
}
