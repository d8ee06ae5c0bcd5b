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
import { dirname } from 'node:path';
import { syncFolder } from '#master/store/write-durably.ts';

/** A configuration file that was read. */
export interface ConfigFile {
  /** Its real path: a symbolic link at `balancer.config_path` stays a link. */
  readonly real: string;
  /** Content as latin1, with one character per byte, so that any content survives. */
  readonly text: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export type ConfigReading =
  | { readonly kind: 'missing' }
  /** `why` is the end of a sentence. */
  | { readonly kind: 'unusable'; readonly why: string }
  | { readonly kind: 'read'; readonly file: ConfigFile };

/** Maximum size of a configuration (bytes). */
const LARGEST = 16 * 1_048_576;

/** Reads `balancer.config_path`. */
export async function readConfigFile(path: string): Promise<ConfigReading> {
  try {
    const real = await realpath(path);
    const facts = await stat(real);
    const { mode, uid, gid, size } = facts;
    if (facts.isDirectory()) return { kind: 'unusable', why: 'it is a folder; set the file in it' };
    if (!facts.isFile()) return { kind: 'unusable', why: 'it is no regular file' };
    if (size > LARGEST) return { kind: 'unusable', why: 'it is larger than 16 MB' };
    const text = await readFile(real, 'latin1');
    return { kind: 'read', file: { real, text, mode: mode & 0o7777, uid, gid } };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    if (code === 'ELOOP') return { kind: 'unusable', why: 'its links go round in a circle' };
    if (code === 'EACCES')
      return { kind: 'unusable', why: `the user of Overworld's master (${user()}) may not read it` };
    return { kind: 'unusable', why: message };
  }
}

/**
 * Returns the path of the draft that replaces the file. It is in the same folder, as a rename does not work across
 * disks.
 */
export function draftPath(file: ConfigFile): string {
  return `${file.real}.overworld-new`;
}

/** Returns the path of the backup that is made before Overworld's section is added. */
export function backupPath(file: ConfigFile): string {
  return `${file.real}.overworld-backup`;
}

/** Returns the path of the last text that HAProxy found valid. */
export function lastGoodPath(file: ConfigFile): string {
  return `${file.real}.overworld-last-good`;
}

/** Why nothing can be written. `message` is the end of a sentence. */
export class NotWritable extends Error {
  override readonly name = 'NotWritable';
}

/**
 * Writes a file beside the configuration, durably and with its mode and owner. A leftover of an earlier crash is
 * replaced.
 *
 * @throws NotWritable
 */
export async function writeBeside(file: ConfigFile, path: string, text: string): Promise<void> {
  try {
    await rm(path, { force: true });
    // 'wx' does not follow a symbolic link that someone may have created there.
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
 * @returns false if someone has changed the file since it was read; nothing is replaced then
 * @throws NotWritable
 */
export async function replaceByDraft(file: ConfigFile): Promise<boolean> {
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
export async function removeDraft(file: ConfigFile): Promise<void> {
  await rm(draftPath(file), { force: true }).catch(() => undefined);
}

/** Replaces another file beside the configuration, atomically. */
export async function replaceBeside(file: ConfigFile, path: string, text: string): Promise<void> {
  const draft = `${path}.part`;
  await writeBeside(file, draft, text);
  await rename(draft, path);
}

/**
 * Keeps owner and group. Only root can change the owner; other users keep at least the group, through which
 * HAProxy's own user reads the file.
 */
async function keepOwner(handle: FileHandle, { uid, gid }: ConfigFile): Promise<void> {
  try {
    await handle.chown(uid, gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    await handle.chown(process.geteuid?.() ?? uid, gid);
  }
}

function notWritable(error: unknown, { real }: ConfigFile): NotWritable {
  const { code, message } = error as NodeJS.ErrnoException;
  const sentences: Partial<Record<string, string>> = {
    EACCES: `the user of Overworld's master (${user()}) may not write it, or not make files in ${dirname(real)}`,
    EPERM: `the user of Overworld's master (${user()}) may not write it with its present owner and group`,
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
