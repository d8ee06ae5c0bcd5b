import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PUT_FILE } from '#shared/sftp/put-file.ts';
import { openFlag, request, status } from '#master/files/sftp/protocol/protocol.ts';
import { field, u32, u64, type RawSftp } from './raw-sftp.ts';

/** Parameters of an attempt: a session, and the path of a folder that {@link fillFolder} has filled. */
export interface SftpTry {
  readonly raw: RawSftp;
  readonly folder: string;
}

type Attempt = (attempt: SftpTry) => Promise<unknown>;

/** Error if the master refuses a request because of missing rights. */
class Refused extends Error {}

/** Creates the files that an attempt needs in a folder on disk. Each attempt needs a separate folder. */
export async function fillFolder(folder: string): Promise<void> {
  await mkdir(join(folder, 'folder'), { recursive: true });
  await writeFile(join(folder, 'file'), 'content');
  await writeFile(join(folder, 'other'), 'other content');
  await symlink('file', join(folder, 'link'));
}

/**
 * Returns whether the master allows an attempt.
 *
 * @throws Error if the attempt fails for another reason, because this failure shows nothing about rights
 */
export async function isAllowed(attempt: Attempt, tried: SftpTry): Promise<boolean> {
  try {
    await attempt(tried);
    return true;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

/**
 * Sends a request. Returns the fields of its answer. Throws Refused if rights are missing, and an Error for each
 * other failure.
 */
async function ask(raw: RawSftp, type: number, ...fields: readonly Buffer[]): Promise<Buffer> {
  const answer = await raw.ask(type, ...fields);
  if (answer.status === status.PERMISSION_DENIED) throw new Refused();
  if (answer.status !== null && answer.status !== status.OK)
    throw new Error(`request ${type} failed with status ${answer.status}: ${answer.body.toString()}`);
  return answer.body;
}

const NO_ATTRS = u32(0);
const MODE_640 = [u32(4), u32(0o640)];

/** Opens a file or folder. Returns its handle as a field. */
const open = (raw: RawSftp, path: string, flags: number): Promise<Buffer> =>
  ask(raw, request.OPEN, field(path), u32(flags), NO_ATTRS);
const openFolder = (raw: RawSftp, path: string): Promise<Buffer> => ask(raw, request.OPENDIR, field(path));

/** Returns an attempt that sends one request. Its fields are paths in the folder, and then the fields in `rest`. */
const onPaths =
  (type: number, names: readonly string[], ...rest: readonly Buffer[]): Attempt =>
  ({ raw, folder }) =>
    ask(raw, type, ...names.map((name) => field(`${folder}/${name}`)), ...rest);

/**
 * Returns an attempt that sends one extended request. Its fields are paths in the folder, and then the fields in
 * `rest`.
 */
const extended =
  (name: string, names: readonly string[], ...rest: readonly Buffer[]): Attempt =>
  ({ raw, folder }) =>
    ask(raw, request.EXTENDED, field(name), ...names.map((path) => field(`${folder}/${path}`)), ...rest);

const opening =
  (name: string, flags: number): Attempt =>
  ({ raw, folder }) =>
    open(raw, `${folder}/${name}`, flags);

const HASH_ALL = [field('sha256'), u64(0), u64(0), u32(0)];

const hashOpenFile =
  (name: string): Attempt =>
  async ({ raw, folder }) => {
    const handle = await open(raw, `${folder}/file`, openFlag.READ);
    await ask(raw, request.EXTENDED, field(name), handle, ...HASH_ALL);
  };

const { READ, WRITE, APPEND, CREAT, TRUNC, EXCL } = openFlag;

/**
 * At least one attempt for each request of SFTP. The name of an attempt begins with the name of its request. The
 * words after the request's name describe the attempt.
 */
export const sftpAttempts = {
  'OPEN for reading': opening('file', READ),
  'OPEN without flags': opening('file', 0),
  'OPEN of a link for reading': opening('link', READ),
  'OPEN for writing': opening('file', WRITE),
  'OPEN for reading and writing': opening('file', READ | WRITE),
  'OPEN for appending': opening('file', APPEND),
  'OPEN that creates': opening('new', READ | CREAT),
  'OPEN that creates a new file': opening('new', WRITE | CREAT | EXCL),
  'OPEN that truncates': opening('file', WRITE | CREAT | TRUNC),
  CLOSE: async ({ raw, folder }) => ask(raw, request.CLOSE, await openFolder(raw, folder)),
  READ: async ({ raw, folder }) =>
    ask(raw, request.READ, await open(raw, `${folder}/file`, READ), u64(0), u32(100)),
  WRITE: async ({ raw, folder }) =>
    ask(raw, request.WRITE, await open(raw, `${folder}/file`, WRITE), u64(0), field('new')),
  LSTAT: onPaths(request.LSTAT, ['link']),
  'FSTAT of a folder': async ({ raw, folder }) => ask(raw, request.FSTAT, await openFolder(raw, folder)),
  SETSTAT: onPaths(request.SETSTAT, ['file'], ...MODE_640),
  FSETSTAT: async ({ raw, folder }) =>
    ask(raw, request.FSETSTAT, await open(raw, `${folder}/file`, READ), ...MODE_640),
  OPENDIR: ({ raw, folder }) => openFolder(raw, folder),
  READDIR: async ({ raw, folder }) => ask(raw, request.READDIR, await openFolder(raw, folder)),
  REMOVE: onPaths(request.REMOVE, ['file']),
  MKDIR: onPaths(request.MKDIR, ['new'], NO_ATTRS),
  RMDIR: onPaths(request.RMDIR, ['folder']),
  REALPATH: onPaths(request.REALPATH, ['file']),
  STAT: onPaths(request.STAT, ['file']),
  RENAME: onPaths(request.RENAME, ['file', 'new']),
  READLINK: onPaths(request.READLINK, ['link']),
  SYMLINK: onPaths(request.SYMLINK, ['file', 'new']),
  'posix-rename@openssh.com': extended('posix-rename@openssh.com', ['file', 'other']),
  'statvfs@openssh.com': extended('statvfs@openssh.com', ['']),
  'fsync@openssh.com': async ({ raw, folder }) =>
    ask(raw, request.EXTENDED, field('fsync@openssh.com'), await open(raw, `${folder}/file`, WRITE)),
  'limits@openssh.com': extended('limits@openssh.com', []),
  'hardlink@openssh.com': extended('hardlink@openssh.com', ['file', 'new']),
  'copy-data': async ({ raw, folder }) => {
    const from = await open(raw, `${folder}/file`, READ);
    const to = await open(raw, `${folder}/other`, WRITE);
    await ask(raw, request.EXTENDED, field('copy-data'), from, u64(0), u64(0), to, u64(0));
  },
  'check-file': hashOpenFile('check-file'),
  'check-file-handle': hashOpenFile('check-file-handle'),
  'check-file-name': extended('check-file-name', ['file'], ...HASH_ALL),
  [PUT_FILE]: extended(PUT_FILE, ['.new.part', 'new'], u32(0), NO_ATTRS, field('new')),
} as const satisfies Readonly<Record<string, Attempt>>;

/** Name of an attempt. */
export type SftpAttempt = keyof typeof sftpAttempts;
