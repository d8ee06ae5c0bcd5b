import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { ErrorCode } from '#shared/errors/codes.ts';
import { DiskReserveReached } from '#master/store/disk-reserve.ts';
import { status, type StatusCode } from './protocol.ts';

/**
 * Error answer to an SFTP request, with the sentence that the client shows. A Refusal is not an OverworldError,
 * because it is only used within an SFTP session, whose protocol has a fixed list of codes.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: StatusCode;

  constructor(code: StatusCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = code;
  }
}

/** Message for a path at which nothing exists. */
export const NOT_FOUND = 'No such file or folder';

/** Creates the refusal NO_SUCH_FILE. */
export function notFound(): Refusal {
  return new Refusal(status.NO_SUCH_FILE, NOT_FOUND);
}

/** Creates the refusal PERMISSION_DENIED. @param message the sentence that the client shows */
export function forbidden(message: string): Refusal {
  return new Refusal(status.PERMISSION_DENIED, message);
}

/** Creates the refusal FAILURE. @param message the sentence that the client shows */
export function failure(message: string): Refusal {
  return new Refusal(status.FAILURE, message);
}

/**
 * Status code and sentence for each errno code. Version 3 of the protocol has few status codes, so the sentence
 * carries the details.
 */
const sentences: Readonly<Record<string, readonly [StatusCode, string]>> = {
  ENOENT: [status.NO_SUCH_FILE, NOT_FOUND],
  ENOTDIR: [status.NO_SUCH_FILE, 'A part of the path is a file, not a folder'],
  EACCES: [status.PERMISSION_DENIED, "Permission denied by the file permissions on the master's machine"],
  EPERM: [status.PERMISSION_DENIED, 'The operating system does not allow this'],
  EROFS: [status.PERMISSION_DENIED, 'The disk is read-only'],
  ELOOP: [status.PERMISSION_DENIED, 'It is a link, and links are not followed here'],
  EEXIST: [status.FAILURE, 'It already exists'],
  ENOTEMPTY: [status.FAILURE, 'The folder is not empty'],
  EISDIR: [status.FAILURE, 'It is a folder'],
  EXDEV: [status.FAILURE, 'Source and destination are on different disks; copy it instead'],
  EINVAL: [status.FAILURE, 'This is not possible (for example: a folder into itself)'],
  ENAMETOOLONG: [status.FAILURE, 'The name or path is too long'],
  ENOSPC: [status.FAILURE, 'The disk is full'],
  EDQUOT: [status.FAILURE, 'The disk quota is used up'],
  EFBIG: [status.FAILURE, 'The file would be too large'],
  EMFILE: [status.FAILURE, 'The master has too many open files; try again later'],
  ENFILE: [status.FAILURE, 'The server has too many open files; try again later'],
  EBUSY: [status.FAILURE, 'It is in use'],
  ENXIO: [status.FAILURE, 'It is not a regular file'],
  EIO: [status.FAILURE, 'The disk reported an error'],
};

/** Status codes for errors of views. All other errors of views become FAILURE. */
const viewStatus: Partial<Readonly<Record<ErrorCode, StatusCode>>> = {
  FILE_FORBIDDEN: status.PERMISSION_DENIED,
  FILE_NOT_FOUND: status.NO_SUCH_FILE,
  SAVE_NOT_FOUND: status.NO_SUCH_FILE,
  SERVICE_HAS_NO_FILES: status.NO_SUCH_FILE,
  SERVICE_NOT_FOUND: status.NO_SUCH_FILE,
  VOLUME_IN_USE: status.PERMISSION_DENIED,
  VOLUME_NOT_FOUND: status.NO_SUCH_FILE,
};

/**
 * Converts anything thrown while handling a request to a refusal.
 *
 * @returns a refusal; it has a `cause` if the error is unexpected and should be logged
 */
export function toRefusal(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown;
  if (thrown instanceof OverworldError) {
    const { code, message } = toOverworldError(thrown);
    return new Refusal(viewStatus[code] ?? status.FAILURE, message);
  }
  // Not SSH_FX_NO_SPACE_ON_FILESYSTEM, because the protocol has this status code only from version 5 on.
  if (thrown instanceof DiskReserveReached) return failure(thrown.message);
  const code = thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined;
  const known = code === undefined ? undefined : sentences[code];
  if (known !== undefined) return new Refusal(...known);
  return new Refusal(status.FAILURE, 'An error occurred on the master; see its log', thrown);
}
