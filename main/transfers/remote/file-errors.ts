import { OverworldError } from '#shared/errors/overworld-error.ts';

/** SFTP version 3 status codes (draft-ietf-secsh-filexfer-02, section 7). */
const SFTP = { EOF: 1, NO_SUCH_FILE: 2, PERMISSION_DENIED: 3, FAILURE: 4, OP_UNSUPPORTED: 8 } as const;

/**
 * Matches the master's message that it reserves the remaining disk space for its own data
 * (master/store/disk-reserve.ts).
 */
const RESERVE = /^(\w+(->|: ))*The master's disk has .* reserved/;

/** An error of ssh2 or ssh2-sftp-client. `code` is an SFTP status number or an error code of Node.js (`ENOENT`). */
interface SftpError extends Error {
  readonly code?: number | string;
}

/**
 * Converts an error of an SFTP operation on the master to FILE_NOT_FOUND, FILE_FORBIDDEN, DISK_RESERVED, DISK_FULL or
 * TRANSFER_FAILED. Returns an OverworldError unchanged.
 *
 * @param path path on the master
 */
export function toRemoteError(thrown: unknown, path: string): OverworldError {
  if (thrown instanceof OverworldError) return thrown as OverworldError;
  const error = asError(thrown);
  switch (error.code) {
    case SFTP.NO_SUCH_FILE:
    case 'ENOENT':
      return new OverworldError('FILE_NOT_FOUND', { path }, error);
    case SFTP.PERMISSION_DENIED:
      return new OverworldError('FILE_FORBIDDEN', { path, why: plain(error.message) }, error);
    default:
      if (RESERVE.test(error.message)) {
        return new OverworldError('DISK_RESERVED', { path, why: plain(error.message) }, error);
      }
      // SFTP version 3 has no status for a full disk, only FAILURE with a text. A wrong guess only makes the error
      // message less precise.
      if (/no space|disk.*full|quota/i.test(error.message)) {
        return new OverworldError('DISK_FULL', { path }, error);
      }
      return new OverworldError('TRANSFER_FAILED', { path, why: plain(error.message) }, error);
  }
}

/** Returns whether an error of a read means that the file has no more bytes. */
export function isEndOfFile(thrown: unknown): boolean {
  return asError(thrown).code === SFTP.EOF;
}

/**
 * Returns whether an error means that the server does not support the request: the server refused it, or ssh2 did
 * not send it (an error without a code).
 */
export function isUnsupported(thrown: unknown): boolean {
  const { code } = asError(thrown);
  return code === SFTP.OP_UNSUPPORTED || code === undefined;
}

/**
 * Converts an error of a file operation on this computer to DISK_FULL or LOCAL_FILE_UNREADABLE. Returns an
 * OverworldError unchanged.
 */
export function toLocalError(thrown: unknown, path: string): OverworldError {
  if (thrown instanceof OverworldError) return thrown as OverworldError;
  const error = asError(thrown);
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT') {
    return new OverworldError('DISK_FULL', { path }, error);
  }
  return new OverworldError('LOCAL_FILE_UNREADABLE', { path, why: localReason(error) }, error);
}

function localReason(error: SftpError): string {
  switch (error.code) {
    case 'ENOENT':
      return 'it does not exist';
    case 'EACCES':
    case 'EPERM':
      return 'you do not have permission to read or write it';
    case 'EISDIR':
      return 'it is a folder';
    case 'ENOTDIR':
      return 'part of its path is a file';
    case 'EEXIST':
      return 'it already exists';
    case 'EBUSY':
      return 'another program uses it';
    case 'EXDEV':
      return 'its destination is on another disk; copy it there, then move it to the trash here';
    default:
      return error.message;
  }
}

function asError(thrown: unknown): SftpError {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Removes the function names that the library prefixes to messages (`_rename->rename: …`). */
function plain(message: string): string {
  const text = message.replace(/^(_?\w+(->|: ))+/, '').trim();
  return text === '' ? 'the master gave no reason' : text;
}
