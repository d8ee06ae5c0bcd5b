import { lstat } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toLocalError } from '../remote/file-errors.ts';
import { isInterrupted } from './interruption.ts';
import type { PartLedger } from './part.ts';
import type { RemoteFiles } from '../remote/remote-files.ts';
import type { RemoteHandle } from '../remote/remote-handle.ts';

/** A copy of one file between this computer and the master. */
export interface FileCopy {
  readonly files: RemoteFiles;
  readonly localPath: string;
  readonly remotePath: string;
  /**
   * Whether an existing file is replaced. If not, and the file exists, the copy fails with FILE_EXISTS at its end.
   */
  readonly replace: boolean;
  /** True: resumes any existing partial file. False: resumes only a partial file of this transfer. */
  readonly resume: boolean;
  /** Identifies this app's installation, so that an upload never resumes another installation's partial file. */
  readonly origin: string;
  readonly parts: PartLedger;
  /**
   * Stops the copy. If the abort reason is an Interruption, the partial file is kept. For any other reason, it is
   * deleted.
   */
  readonly signal: AbortSignal;
  /**
   * Called after each piece with its number of bytes.
   *
   * @param sent false for bytes that an earlier attempt has transferred
   */
  readonly onProgress: (bytes: number, sent?: boolean) => void;
}

/** Returns whether a stopped copy will be resumed, so that its partial file is kept. */
export function keepsPart({ files, signal }: FileCopy): boolean {
  return files.closed || isInterrupted(signal);
}

/** Runs `use`, and closes the handle in any case. An error of `use` takes precedence over an error of closing. */
export async function withRemote<T>(handle: RemoteHandle, use: () => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await use();
  } catch (error) {
    await handle.close().catch(() => undefined);
    throw error;
  }
  await handle.close();
  return result;
}

/** Returns whether any entry, including a link, exists at a path on this computer. */
export async function existsHere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw toLocalError(error, path);
  }
}

/** Creates a TRANSFER_FAILED error for a file. @param why clause that names the reason */
export function failed(path: string, why: string): OverworldError {
  return new OverworldError('TRANSFER_FAILED', { path, why });
}

/** The source of a copy was changed while it was read, so that its content may be inconsistent. */
export class ChangedWhileRead extends OverworldError<'TRANSFER_FAILED'> {
  constructor(path: string, what: string) {
    super('TRANSFER_FAILED', { path, why: `${what} was changed while it was read` });
  }
}

/** Returns the parent folder of a path on the master. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/** Returns the part of a path on the master after the last slash. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
