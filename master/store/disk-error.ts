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

/**
 * Converts the error of a failed read of a file in the data folder to DATA_FOLDER_UNSAFE. Returns an OverworldError
 * unchanged.
 */
export function readError(path: string, cause: unknown): OverworldError {
  if (cause instanceof OverworldError) return cause as OverworldError;
  const { code, message } = cause as NodeJS.ErrnoException;
  const isForbidden = code === 'EACCES' || code === 'EPERM';
  const forbidden = `the master has no permission to read it. To give the file the owner of its folder, run "chown --reference=${dirname(path)} ${path}"`;
  const why = `cannot be read, so nothing was changed: ${isForbidden ? forbidden : message}`;
  return new OverworldError('DATA_FOLDER_UNSAFE', { path, why }, cause);
}
