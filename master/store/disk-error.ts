import { dirname } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';

/** Says why a file of the data folder could not be written: DISK_FULL (also for a quota), else DATA_FOLDER_UNSAFE. */
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
