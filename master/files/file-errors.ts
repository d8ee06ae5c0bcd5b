import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import { DiskReserveReached } from '#master/store/disk-reserve.ts';
import { status } from './sftp/protocol/protocol.ts';
import { toRefusal } from './sftp/protocol/refusal.ts';
import { isDiskFull } from '#master/templates/disk-problem.ts';

/**
 * Converts an error of a file operation to an error of the admin API. Accepts refusals of the SFTP server and errors
 * of the operating system.
 *
 * @param path the path as the user sees it
 * @returns FILE_NOT_FOUND, FILE_EXISTS, FILE_FORBIDDEN, DISK_FULL or DISK_RESERVED; INTERNAL for an unexpected error
 */
export function toFileError(thrown: unknown, path: string): OverworldError {
  if (thrown instanceof OverworldError) return thrown as OverworldError;
  if (isDiskFull(thrown)) return new OverworldError('DISK_FULL', { path }, thrown);
  if (thrown instanceof DiskReserveReached) {
    return new OverworldError('DISK_RESERVED', { path, why: thrown.message }, thrown);
  }
  if (codeOf(thrown) === 'EEXIST') return new OverworldError('FILE_EXISTS', { path }, thrown);
  const refusal = toRefusal(thrown);
  if (refusal.cause !== undefined) return toOverworldError(thrown);
  if (refusal.status === status.NO_SUCH_FILE) {
    return new OverworldError('FILE_NOT_FOUND', { path }, thrown);
  }
  const why = refusal.message.charAt(0).toLowerCase() + refusal.message.slice(1);
  return new OverworldError('FILE_FORBIDDEN', { path, why }, thrown);
}

/** Runs `work`, and converts its errors with {@link toFileError}, so that they contain `path`. */
export async function withFileErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFileError(error, path);
  }
}

/** Returns the errno code of an error, for example `ENOENT`; undefined for other errors. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined;
}
