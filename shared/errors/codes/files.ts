import { CONTENTS_REFUSAL } from '../../model/access/role.ts';
import { code } from '../code.ts';

/** Errors of files on the master and on this computer, and of their transfers. */
export const fileCodes = {
  FILE_NOT_FOUND: code<{ path: string }>(
    'user',
    ({ path }) => `${path} does not exist. It may have been moved or deleted.`,
  ),
  FILE_EXISTS: code<{ path: string }>('user', ({ path }) => `${path} already exists. Choose another name.`),
  FILE_NAME_INVALID: code<{ name: string }>(
    'user',
    ({ name }) => `"${name}" cannot be a name: it must not be empty, "." or "..", nor contain a slash.`,
  ),
  FILE_FORBIDDEN: code<{ path: string; why: string }>(
    'user',
    ({ path, why }) => `This is not possible for ${path}: ${why}.`,
  ),
  FILE_CONTENTS_FORBIDDEN: code<{ setting: string }>(
    'user',
    ({ setting }) => `${CONTENTS_REFUSAL} with the setting ${setting}.`,
  ),
  FILE_CHANGED: code<{ path: string }>(
    'user',
    ({ path }) =>
      `${path} was changed by someone else since you opened it. Nothing was overwritten. Compare both versions, then save again or reload.`,
  ),
  FILE_TOO_LARGE: code<{ path: string; bytes: number; limit: number }>(
    'user',
    ({ path, bytes, limit }) =>
      `${path} has ${bytes} bytes, and the limit here is ${limit}. Download it, or open it in another program.`,
  ),
  FILE_NOT_TEXT: code<{ path: string }>(
    'user',
    ({ path }) =>
      `${path} cannot be edited in the app: it is not text in the encoding UTF-8, or it contains NUL characters. Use "Open in other program", or download it.`,
  ),
  PLACE_FORBIDDEN: code<{ path: string }>(
    'user',
    ({ path }) =>
      `${path} is not in a folder that this app can access. Add its folder with "Add folder" first.`,
  ),
  LOCAL_WRITE_DECLINED: code<{ path: string }>(
    'user',
    ({ path }) =>
      `${path} on this computer was not changed, because permission was denied. Try again and allow it, or choose another folder.`,
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
  DISK_RESERVED: code<{ path: string; why: string }>(
    'node',
    ({ path, why }) => `${path} was not written. ${why}`,
    true,
  ),
  TRANSFER_FAILED: code<{ path: string; why: string }>(
    'transient',
    ({ path, why }) => `The transfer of ${path} failed: ${why}. No partial file was left behind. Try again.`,
    true,
  ),
  SOURCE_REMAINS: code<{ path: string; why: string }>(
    'user',
    ({ path, why }) =>
      `${path} was copied completely, but its source could not be removed completely: ${why}. No data is lost. Try again, or delete the rest of the source yourself.`,
  ),
  PLAN_EXPIRED: code<{ plan: string }>(
    'user',
    () => `This transfer was prepared too long ago and has expired. Select the files again.`,
  ),
};
