import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import { status } from './sftp/protocol.ts';
import { toRefusal } from './sftp/refusal.ts';
import { isDiskFull } from '#master/templates/disk-problem.ts';

/**
 * What the jail refuses and the operating system reports, as the admin API says it.
 *
 * @param path as people see it
 * @returns FILE_NOT_FOUND, FILE_EXISTS, FILE_FORBIDDEN or DISK_FULL; INTERNAL for a surprise
 */
export function toFileError(thrown: unknown, path: string): OverworldError {
  if (thrown instanceof OverworldError) return thrown as OverworldError;
  if (isDiskFull(thrown)) return new OverworldError('DISK_FULL', { path }, thrown);
  if (codeOf(thrown) === 'EEXIST') return new OverworldError('FILE_EXISTS', { path }, thrown);
  const refusal = toRefusal(thrown);
  if (refusal.cause !== undefined) return toOverworldError(thrown);
  if (refusal.status === status.NO_SUCH_FILE) {
    return new OverworldError('FILE_NOT_FOUND', { path }, thrown);
  }
  const why = refusal.message.charAt(0).toLowerCase() + refusal.message.slice(1);
  return new OverworldError('FILE_FORBIDDEN', { path, why }, thrown);
}

/** Does something with a path; whatever fails is told with it. */
export async function withFileErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFileError(error, path);
  }
}

/** The operating system's code of an error. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined;
}
