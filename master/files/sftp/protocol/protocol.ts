import { PUT_FILE, PUT_FILE_VERSION } from '#shared/sftp/put-file.ts';

/**
 * Numbers of the SSH File Transfer Protocol, version 3, which all clients support. Source:
 * draft-ietf-secsh-filexfer-02; extensions: OpenSSH's PROTOCOL, section 4.
 */
export const VERSION = 3;

export const request = {
  INIT: 1,
  OPEN: 3,
  CLOSE: 4,
  READ: 5,
  WRITE: 6,
  LSTAT: 7,
  FSTAT: 8,
  SETSTAT: 9,
  FSETSTAT: 10,
  OPENDIR: 11,
  READDIR: 12,
  REMOVE: 13,
  MKDIR: 14,
  RMDIR: 15,
  REALPATH: 16,
  STAT: 17,
  RENAME: 18,
  READLINK: 19,
  SYMLINK: 20,
  EXTENDED: 200,
} as const;

export const response = {
  VERSION: 2,
  STATUS: 101,
  HANDLE: 102,
  DATA: 103,
  NAME: 104,
  ATTRS: 105,
  EXTENDED_REPLY: 201,
} as const;

export const status = {
  OK: 0,
  EOF: 1,
  NO_SUCH_FILE: 2,
  PERMISSION_DENIED: 3,
  FAILURE: 4,
  BAD_MESSAGE: 5,
  OP_UNSUPPORTED: 8,
} as const;
export type StatusCode = (typeof status)[keyof typeof status];

export const openFlag = { READ: 1, WRITE: 2, APPEND: 4, CREAT: 8, TRUNC: 16, EXCL: 32 } as const;

export const attrFlag = { SIZE: 1, UIDGID: 2, PERMISSIONS: 4, ACMODTIME: 8, EXTENDED: 0x80000000 } as const;

/** Supported extensions and their versions. */
export const extensions = {
  'posix-rename@openssh.com': '1',
  'statvfs@openssh.com': '2',
  'fsync@openssh.com': '1',
  'limits@openssh.com': '1',
  'copy-data': '1',
  'check-file': '1',
  'check-file-handle': '1',
  'check-file-name': '1',
  [PUT_FILE]: PUT_FILE_VERSION,
} as const;

/** Size limit of a packet in both directions (bytes), the same as in OpenSSH's server. */
export const MAX_PACKET_BYTES = 256 * 1024;

/**
 * Size limit of the data in one READ or WRITE (bytes): a packet minus 1024 bytes for its other fields, as OpenSSH's
 * `limits` reports it.
 */
export const MAX_DATA_BYTES = MAX_PACKET_BYTES - 1024;

/** Maximum number of open files and folders in one session. */
export const MAX_HANDLES = 256;
