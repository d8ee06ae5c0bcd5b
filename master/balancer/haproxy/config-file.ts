import {
  access,
  constants,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  type FileHandle,
} from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, relative, sep } from 'node:path';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { syncFolder } from '#master/store/write-durably.ts';

/** Path of the configuration, and the folder in which the configuration must not be. */
export interface ConfigPlace {
  /** Path of HAProxy's configuration: `balancer.config_path` (docs/specification.md#balancer). */
  readonly configPath: string;
  /**
   * The master's data folder. A configuration in this folder is refused. People with keys upload files there, and
   * when HAProxy checks a file, it runs the Lua programs that the file names, as the master's user.
   */
  readonly dataFolder: string;
}

/** A configuration file, with the content that it had when it was read. */
export interface HaproxyFile {
  /**
   * Real path of the file, with symbolic links resolved. Writing uses this path, so that a symbolic link at
   * `balancer.config_path` stays a link.
   */
  readonly real: string;
  /** Content as latin1, with one character per byte, so that all bytes are preserved. */
  readonly text: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export type ConfigReading =
  | { readonly kind: 'missing' }
  /** The file cannot be used. `why` is the reason as the second half of a sentence. */
  | { readonly kind: 'unusable'; readonly why: string }
  | { readonly kind: 'read'; readonly file: HaproxyFile };

/** Maximum size of a configuration (bytes). */
const LARGEST = 16 * 1_048_576;

/**
 * Reads the file at `balancer.config_path`, of at most 16 MB, as Latin-1. Follows symbolic links, but refuses a file
 * in the master's data folder. Does not throw; a failure is part of the result.
 */
export async function readConfigFile({ configPath, dataFolder }: ConfigPlace): Promise<ConfigReading> {
  try {
    const real = await realpath(configPath);
    if (await isInData(real, dataFolder)) {
      const why =
        "it is in the master's data folder, to which people upload files, and HAProxy could run programs that such a file names";
      return { kind: 'unusable', why };
    }
    const facts = await stat(real);
    const { mode, uid, gid, size } = facts;
    if (facts.isDirectory())
      return { kind: 'unusable', why: 'it is a folder; set the path of the file in it' };
    if (!facts.isFile()) return { kind: 'unusable', why: 'it is not a regular file' };
    if (size > LARGEST) return { kind: 'unusable', why: 'it is larger than 16 MB' };
    const text = await readFile(real, 'latin1');
    return { kind: 'read', file: { real, text, mode: mode & 0o7777, uid, gid } };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    if (code === 'ELOOP') return { kind: 'unusable', why: 'its symbolic links form a loop' };
    if (code === 'EACCES')
      return { kind: 'unusable', why: `the master's user (${user()}) has no permission to read it` };
    return { kind: 'unusable', why: message };
  }
}

/**
 * Reports whether a real path is in the data folder or in one of its folders. These may be links to folders on
 * another disk.
 */
async function isInData(path: string, dataFolder: string): Promise<boolean> {
  const folders = await Promise.all(
    Object.values(dataFolderAt(dataFolder)).map((folder: string) => realpath(folder).catch(() => folder)),
  );
  return folders.some((folder) => {
    const way = relative(folder, path);
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  });
}

/**
 * Returns the path of the draft, which later replaces the configuration. It is in the same folder, because a file
 * cannot be renamed across disks.
 */
export function draftPath(file: HaproxyFile): string {
  return `${file.real}.overworld-new`;
}

/** Returns the path of the backup that is made before Overworld's section is added. */
export function backupPath(file: HaproxyFile): string {
  return `${file.real}.overworld-backup`;
}

/** Returns the path of the last text that HAProxy found valid. */
export function lastGoodPath(file: HaproxyFile): string {
  return `${file.real}.overworld-last-good`;
}

/** Thrown if a file cannot be written. `message` is the reason as the second half of a sentence. */
export class NotWritable extends Error {
  override readonly name = 'NotWritable';
}

/**
 * Writes another file in the folder of the configuration, durably and with the mode and owner of the configuration.
 * Replaces a file that an earlier crash has left.
 *
 * @throws NotWritable
 */
export async function writeBeside(file: HaproxyFile, path: string, text: string): Promise<void> {
  try {
    await rm(path, { force: true });
    // 'wx' does not follow a symbolic link that another user may have created at this path.
    const handle = await open(path, 'wx', 0o600);
    try {
      await handle.writeFile(text, 'latin1');
      await keepOwner(handle, file);
      await handle.chmod(file.mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw notWritable(error, file);
  }
}

/**
 * Replaces the file with the draft, atomically.
 *
 * @returns false if the file was changed since it was read; nothing is replaced then
 * @throws NotWritable
 */
export async function replaceByDraft(file: HaproxyFile): Promise<boolean> {
  try {
    await access(file.real, constants.W_OK);
    if ((await readFile(file.real, 'latin1')) !== file.text) return false;
    await rename(draftPath(file), file.real);
    await syncFolder(dirname(file.real));
    return true;
  } catch (error) {
    throw notWritable(error, file);
  }
}

/** Removes the draft. If that fails, the next draft replaces it. */
export async function removeDraft(file: HaproxyFile): Promise<void> {
  await rm(draftPath(file), { force: true }).catch(() => undefined);
}

/**
 * Atomically replaces a file that is in the same folder as the configuration file.
 *
 * @throws NotWritable
 */
export async function replaceBeside(file: HaproxyFile, path: string, text: string): Promise<void> {
  const draft = `${path}.part`;
  await writeBeside(file, draft, text);
  await rename(draft, path);
}

/**
 * Gives a new file the owner and group of the configuration. Only root can change the owner. Other users can at least
 * keep the group, which is important because HAProxy's own user may read the file as a member of that group.
 */
async function keepOwner(handle: FileHandle, { uid, gid }: HaproxyFile): Promise<void> {
  try {
    await handle.chown(uid, gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    await handle.chown(process.geteuid?.() ?? uid, gid);
  }
}

function notWritable(error: unknown, { real }: HaproxyFile): NotWritable {
  const { code, message } = error as NodeJS.ErrnoException;
  const sentences: Partial<Record<string, string>> = {
    EACCES: `the master's user (${user()}) has no permission to write to it, or to create files in ${dirname(real)}`,
    EPERM: `the master's user (${user()}) has no permission to write to it and keep its owner and group`,
    EROFS: 'its disk is read-only',
    ENOSPC: 'its disk is full',
    EDQUOT: 'its disk is full',
  };
  return new NotWritable(sentences[code ?? ''] ?? message, { cause: error });
}

function user(): string {
  try {
    return userInfo().username;
  } catch {
    // The user id has no name.
    return String(process.geteuid?.() ?? 'unknown');
  }
}
