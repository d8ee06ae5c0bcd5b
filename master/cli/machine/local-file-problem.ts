import { OverworldError } from '#shared/errors/overworld-error.ts';
import { diskCode, diskProblem, isDiskFull } from '#master/templates/disk-problem.ts';

/** Why a file cannot be created, by errno code, as the second half of a sentence. */
const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'permission was denied',
  EPERM: 'permission was denied',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
};

/**
 * Describes why a file that a command creates cannot be opened or written: FILE_EXISTS, DISK_FULL or
 * LOCAL_FILE_UNREADABLE. Returns all errors that do not come from the file system unchanged.
 */
export function localFileProblem(error: unknown, path: string): unknown {
  const code = diskCode(error);
  if (code === undefined || error instanceof OverworldError) return error;
  if (code === 'EEXIST') return new OverworldError('FILE_EXISTS', { path }, error);
  if (isDiskFull(error)) return new OverworldError('DISK_FULL', { path }, error);
  return new OverworldError(
    'LOCAL_FILE_UNREADABLE',
    { path, why: PROBLEMS[code] ?? diskProblem(error) },
    error,
  );
}

/** Creates the error for a file that is not complete because the person interrupted the command. */
export function interruptedTransfer(path: string): OverworldError {
  return new OverworldError('TRANSFER_FAILED', { path, why: 'the command was interrupted' });
}
