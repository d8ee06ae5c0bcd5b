import { lstat } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toLocalError } from '../remote/file-errors.ts';
import { isInterrupted } from '../queue/interruption.ts';
import type { PartLedger } from './part.ts';
import type { RemoteFiles } from '../remote/remote-files.ts';
import type { RemoteHandle } from '../remote/remote-handle.ts';

/** Copies one file between this computer and the master. */
export interface FileCopy {
  readonly files: RemoteFiles;
  readonly localPath: string;
  readonly remotePath: string;
  /** False: fails with FILE_EXISTS when the destination exists by the time the bytes are there. */
  readonly replace: boolean;
  /** True: goes on with a part that is there already, whoever began it; false: only with one of this very transfer. */
  readonly resume: boolean;
  /** Names this app's installation: parts of other people's uploads are left alone. */
  readonly origin: string;
  readonly parts: PartLedger;
  /** Aborted with an Interruption, what has arrived is kept; with anything else it is deleted. */
  readonly signal: AbortSignal;
  /** @param sent false for bytes that an earlier try has brought */
  readonly onProgress: (bytes: number, sent?: boolean) => void;
}

/** True when a copy that ended early will be gone on with, so that its part is kept. */
export function keepsPart({ files, signal }: FileCopy): boolean {
  return files.closed || isInterrupted(signal);
}

/** Closes the handle in any case. After a failure its own error is the one that counts, not that of closing. */
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

/** True when there is anything at a path on this computer; links count themselves. */
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

/** Folder of a path on the master. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/** Last name of a path on the master. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
