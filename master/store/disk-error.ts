import { dirname } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';

/**
 * Converts the error of a failed write in the data folder to DISK_FULL (also for an exceeded quota) or
 * DATA_FOLDER_UNSAFE. Returns an OverworldError unchanged.
 */
export function diskError(path: string, cause: unknown): OverworldError {
  if (cause instanceof OverworldError) return cause as OverworldError;
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new OverworldError('DISK_FULL', { path }, cause);
  return new OverworldError(
    'DATA_FOLDER_UNSAFE',
    { path: dirname(path), why: `cannot be written: ${message}` },
    cause,
  );
}
