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
  /** False: fails with FILE_EXISTS if the destination exists when the copy is complete. */
  readonly replace: boolean;
  /** True: resumes any existing partial file. False: only one of this transfer. */
  readonly resume: boolean;
  /** Identifies this app's installation, so that partial files of other people's uploads are not used. */
  readonly origin: string;
  readonly parts: PartLedger;
  /** If aborted with an Interruption, the partial file is kept; with any other reason it is deleted. */
  readonly signal: AbortSignal;
  /** @param sent false for bytes that an earlier attempt has transferred */
  readonly onProgress: (bytes: number, sent?: boolean) => void;
}

/** Returns whether a stopped copy will be resumed, so that its partial file is kept. */
export function keepsPart({ files, signal }: FileCopy): boolean {
  return files.closed || isInterrupted(signal);
}

/** Closes the handle in any case. An error of `use` takes precedence over an error of closing. */
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

export function failed(path: string, why: string): OverworldError {
  return new OverworldError('TRANSFER_FAILED', { path, why });
}

/** Returns the parent folder of a path on the master. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/** Returns the last name of a path on the master. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
