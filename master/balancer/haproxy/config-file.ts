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

/** A configuration as it was read. */
export interface ConfigFile {
  /** Where it really is: a link at `balancer.config_path` stays a link. */
  readonly real: string;
  /** latin1: each byte is one character, so that whatever stands in the file survives. */
  readonly text: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export type ConfigReading =
  | { readonly kind: 'missing' }
  /** `why` ends a sentence. */
  | { readonly kind: 'unusable'; readonly why: string }
  | { readonly kind: 'read'; readonly file: ConfigFile };

/** Larger ones are no configuration of HAProxy, bytes. */
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

/** Where a new text is written before it takes the file's place; beside it, as a rename does not cross disks. */
export function draftPath(file: ConfigFile): string {
  return `${file.real}.overworld-new`;
}

/** The file as it was before our section was put in. */
export function backupPath(file: ConfigFile): string {
  return `${file.real}.overworld-backup`;
}

/** The last text of ours that HAProxy itself found in order. */
export function lastGoodPath(file: ConfigFile): string {
  return `${file.real}.overworld-last-good`;
}

/** Why nothing can be written; `message` ends a sentence. */
export class NotWritable extends Error {
  override readonly name = 'NotWritable';
}

/**
 * Writes a file beside the configuration, with its mode and owner, durably. What an earlier crash left there is replaced.
 *
 * @throws NotWritable
 */
export async function writeBeside(file: ConfigFile, path: string, text: string): Promise<void> {
  try {
    await rm(path, { force: true });
    // 'wx' follows no link that somebody may have put there.
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
 * Puts the draft in the file's place: at any instant one of the two is there, whole.
 *
 * @returns false when somebody has changed the file since it was read; then nothing is replaced
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

/** Leaves nothing behind; one that cannot be removed is replaced by the next. */
export async function removeDraft(file: ConfigFile): Promise<void> {
  await rm(draftPath(file), { force: true }).catch(() => undefined);
}

/** Puts a text into another file beside the configuration, at once and whole. */
export async function replaceBeside(file: ConfigFile, path: string, text: string): Promise<void> {
  const draft = `${path}.part`;
  await writeBeside(file, draft, text);
  await rename(draft, path);
}

/** Root can give files away. Others keep at least the group, by which HAProxy's own user reads it. */
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
    // A user id without a name.
    return String(process.geteuid?.() ?? 'unknown');
  }
}
