import { lstat, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Stats } from 'ssh2';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { ChangedWhileRead, existsHere, failed, keepsPart, withRemote, type FileCopy } from './file-copy.ts';
import { toLocalError } from '../remote/file-errors.ts';
import { LocalFile, localMode } from './local-file.ts';
import { isSameBefore, partNameOf, resumePoint, sourceFrom } from './part.ts';
import { copyBytes } from '../remote/copy-bytes.ts';
import type { RemoteHandle } from '../remote/remote-handle.ts';
import { markedSink } from './write-mark.ts';

/**
 * Downloads one file, with the guarantees of `uploadFile` (upload-file.ts): on any failure the destination is the
 * complete old or new file, and an interrupted download can be resumed.
 *
 * @returns size of the file (bytes)
 * @throws OverworldError; the signal's abort reason when stopped
 */
export async function downloadFile(copy: FileCopy): Promise<number> {
  const { files, localPath, remotePath, parts } = copy;
  const remote = await files.open(remotePath, 'r');
  return withRemote(remote, async () => {
    const stats = await remote.stat();
    const source = {
      origin: files.connection,
      path: remotePath,
      bytes: stats.size,
      modifiedAt: stats.mtime * 1000,
    };
    const part = join(dirname(localPath), partNameOf(source, basename(localPath)));
    await parts.claim(part, localPath);
    try {
      await fetch(copy, { remote, stats }, part);
      parts.forget(part);
      return stats.size;
    } catch (error) {
      if (!keepsPart(copy)) {
        await deletePart(part);
        parts.forget(part);
      }
      throw error;
    } finally {
      parts.release(part);
    }
  });
}

/**
 * Deletes a partial file on this computer. Does nothing if it does not exist.
 *
 * @throws OverworldError LOCAL_FILE_UNREADABLE
 */
export async function deletePart(part: string): Promise<void> {
  await unlink(part).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw toLocalError(error, part);
  });
}

async function fetch(
  copy: FileCopy,
  { remote, stats }: { remote: RemoteHandle; stats: Stats },
  part: string,
): Promise<void> {
  const { remotePath, parts, signal } = copy;
  const { size, mode, mtime } = stats;
  const { local, from } = await openPart(copy, { remote, size }, part);
  try {
    copy.onProgress(from, false);
    const sink = markedSink(local, from, (mark) => parts.set(part, mark));
    const copied = await copyBytes(sourceFrom(remote, from), sink, { ...copy, bytes: size - from });
    const after = await remote.stat();
    if (from + copied !== size || after.size !== size || after.mtime !== mtime) {
      throw new ChangedWhileRead(remotePath, 'it');
    }
    await local.finish(localMode(mode), mtime * 1000);
    const written = await local.stat();
    if (written.size !== size) throw failed(remotePath, `${written.size} of ${size} bytes arrived`);
  } finally {
    await local.close();
  }
  signal.throwIfAborted();
  await putInPlace(copy, part);
}

/** Opens the partial file for writing: a new one, or an existing one with the position to resume from. */
async function openPart(
  { parts, resume }: FileCopy,
  { remote, size }: { remote: RemoteHandle; size: number },
  part: string,
): Promise<{ readonly local: LocalFile; readonly from: number }> {
  const mark = parts.mark(part);
  const found = await lstat(part).catch(() => null);
  if (found?.isFile() === true) {
    const from = resume || mark !== undefined ? resumePoint({ bytes: found.size, mark }, size) : 0;
    if (from > 0) {
      const local = await LocalFile.toGoOn(part);
      if (await isSameBefore(from, remote, local)) return { local, from };
      await local.close();
    }
    await deletePart(part);
  }
  const local = await LocalFile.toWrite(part);
  parts.set(part, 0);
  return { local, from: 0 };
}

async function putInPlace({ localPath, replace }: FileCopy, part: string): Promise<void> {
  try {
    if (!replace && (await existsHere(localPath))) {
      throw new OverworldError('FILE_EXISTS', { path: localPath });
    }
    await rename(part, localPath);
  } catch (error) {
    throw toLocalError(error, localPath);
  }
}
