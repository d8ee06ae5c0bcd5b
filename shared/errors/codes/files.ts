import { code } from '../code.ts';

/** Errors of files on the master and on this computer, and of their transfers. */
export const fileCodes = {
  FILE_NOT_FOUND: code<{ path: string }>(
    'user',
    ({ path }) => `There is no ${path} any more. Somebody may have moved or deleted it.`,
  ),
  FILE_EXISTS: code<{ path: string }>('user', ({ path }) => `${path} exists already. Choose another name.`),
  FILE_NAME_INVALID: code<{ name: string }>(
    'user',
    ({ name }) => `"${name}" cannot be a name: it must not be empty, "." or "..", nor contain a slash.`,
  ),
  FILE_FORBIDDEN: code<{ path: string; why: string }>(
    'user',
    ({ path, why }) => `This is not possible for ${path}: ${why}.`,
  ),
  FILE_CHANGED: code<{ path: string }>(
    'user',
    ({ path }) =>
      `${path} was changed by somebody else since you opened it. Nothing was overwritten; compare, then save again or reload.`,
  ),
  FILE_TOO_LARGE: code<{ path: string; bytes: number; limit: number }>(
    'user',
    ({ path, bytes, limit }) =>
      `${path} has ${bytes} bytes; the editor takes at most ${limit}. Download it, or open it in a program of your own.`,
  ),
  FILE_NOT_TEXT: code<{ path: string }>(
    'user',
    ({ path }) =>
      `${path} is no text (UTF-8), so it cannot be edited here. Open it in a program of your own.`,
  ),
  PLACE_FORBIDDEN: code<{ path: string }>(
    'user',
    ({ path }) =>
      `${path} is outside of the folders of this computer that this app was given. Choose it with "Add folder" first.`,
  ),
  LOCAL_WRITE_DECLINED: code<{ path: string }>(
    'user',
    ({ path }) =>
      `${path} on this computer was left as it is: it was not allowed when the app asked. Do it again and allow it, or choose another folder.`,
  ),
  LOCAL_FILE_UNREADABLE: code<{ path: string; why: string }>(
    'user',
    ({ path, why }) => `${path} on this computer cannot be used: ${why}.`,
  ),
  DISK_FULL: code<{ path: string }>(
    'node',
    ({ path }) => `The disk is full; ${path} was not written. Free some space and try again.`,
    true,
  ),
  TRANSFER_FAILED: code<{ path: string; why: string }>(
    'transient',
    ({ path, why }) =>
      `The transfer of ${path} failed: ${why}. Nothing half-written was left in its place; try again.`,
    true,
  ),
  SOURCE_REMAINS: code<{ path: string; why: string }>(
    'user',
    ({ path, why }) =>
      `All of ${path} has arrived at its destination, but not all of it could be taken away from where it came from: ${why}. Nothing is lost; try again, or delete what is left there yourself.`,
  ),
  PLAN_EXPIRED: code<{ plan: string }>(
    'user',
    () => `This transfer was prepared too long ago and was not begun. Choose the files again.`,
  ),
};
