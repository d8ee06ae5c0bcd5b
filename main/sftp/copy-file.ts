import { randomBytes } from 'node:crypto';
import { lstat, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toLocalError } from './file-errors.ts';
import { LocalFile, localMode } from './local-file.ts';
import { partName } from './names.ts';
import { pump } from './pump.ts';
import { joinRemote, type RemoteFiles } from './remote-files.ts';
import type { RemoteHandle } from './remote-handle.ts';

/** Copies one file between this computer and the master. */
export interface FileCopy {
  readonly files: RemoteFiles;
  readonly localPath: string;
  readonly remotePath: string;
  /** False: fails with FILE_EXISTS when the destination exists by the time the bytes are there. */
  readonly replace: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (bytes: number) => void;
  /** A temporary file on the master that could not be deleted, as the connection was gone. */
  readonly onLeftover: (path: string) => void;
}

/**
 * Uploads one file: under a temporary name in its folder, with mode and time, sizes compared, then renamed. Whatever
 * fails, the destination is the old or the new file, whole.
 *
 * @returns bytes copied
 * @throws OverworldError; the signal's reason when it was cancelled
 */
export async function uploadFile(copy: FileCopy): Promise<number> {
  const { files, localPath, remotePath } = copy;
  const part = joinRemote(parentOf(remotePath), partName(randomName()));
  const local = await LocalFile.toRead(localPath);
  try {
    const before = await local.stat();
    const remote = await files.open(part, 'wx');
    try {
      await withRemote(remote, async () => {
        const { size, mode, mtimeMs } = before;
        const copied = await pump(local, remote, { ...copy, bytes: size });
        const after = await local.stat();
        if (copied !== size || after.size !== size || after.mtimeMs !== mtimeMs) {
          throw failed(remotePath, `${localPath} was changed while it was read`);
        }
        const mtime = Math.floor(mtimeMs / 1000);
        await remote.setAttributes({ mode: mode & 0o777, atime: mtime, mtime });
        const written = await remote.stat();
        if (written.size !== size) throw failed(remotePath, `${written.size} of ${size} bytes arrived`);
      });
      copy.signal.throwIfAborted();
      await putInPlace(copy, part);
    } catch (error) {
      await files.deleteFile(part).catch(() => {
        copy.onLeftover(part);
      });
      throw error;
    }
    return before.size;
  } finally {
    await local.close();
  }
}

/** Downloads one file; the same promises as {@link uploadFile}. */
export async function downloadFile(copy: FileCopy): Promise<number> {
  const { files, localPath, remotePath } = copy;
  const part = join(dirname(localPath), partName(randomName()));
  const remote = await files.open(remotePath, 'r');
  return withRemote(remote, async () => {
    const { size, mode, mtime } = await remote.stat();
    const local = await LocalFile.toWrite(part);
    try {
      try {
        const copied = await pump(remote, local, { ...copy, bytes: size });
        const after = await remote.stat();
        if (copied !== size || after.size !== size || after.mtime !== mtime) {
          throw failed(remotePath, 'it was changed while it was read');
        }
        await local.finish(localMode(mode), mtime * 1000);
        const written = await local.stat();
        if (written.size !== size) throw failed(remotePath, `${written.size} of ${size} bytes arrived`);
      } finally {
        await local.close();
      }
      copy.signal.throwIfAborted();
      await putInPlaceHere(copy, part);
      return size;
    } catch (error) {
      await unlink(part).catch((left: unknown) => {
        throw toLocalError(left, part);
      });
      throw error;
    }
  });
}

async function putInPlace({ files, remotePath, replace }: FileCopy, part: string): Promise<void> {
  if (replace) {
    await files.replace(part, remotePath);
    return;
  }
  try {
    await files.rename(part, remotePath);
  } catch (error) {
    if ((await files.find(remotePath)) === null) throw error;
    throw new OverworldError('FILE_EXISTS', { path: remotePath }, error);
  }
}

async function putInPlaceHere({ localPath, replace }: FileCopy, part: string): Promise<void> {
  try {
    if (!replace && (await existsHere(localPath))) {
      throw new OverworldError('FILE_EXISTS', { path: localPath });
    }
    await rename(part, localPath);
  } catch (error) {
    throw toLocalError(error, localPath);
  }
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

/** Closes the handle in any case. After a failure its own error is the one that counts, not that of closing. */
async function withRemote<T>(handle: RemoteHandle, use: () => Promise<T>): Promise<T> {
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

function failed(path: string, why: string): OverworldError {
  return new OverworldError('TRANSFER_FAILED', { path, why });
}

/** Folder of a path on the master. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function randomName(): string {
  return randomBytes(8).toString('hex');
}
