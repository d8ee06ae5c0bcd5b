import type { Stats } from 'node:fs';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { PUT_FILE_MOST_BYTES } from '#shared/sftp/put-file.ts';
import {
  ChangedWhileRead,
  failed,
  keepsPart,
  nameOf,
  parentOf,
  withRemote,
  type FileCopy,
} from './file-copy.ts';
import { LocalFile } from './local-file.ts';
import { isSameBefore, partNameOf, resumePoint, sourceFrom } from './part.ts';
import { copyBytes } from '../remote/copy-bytes.ts';
import { joinRemote } from '../remote/remote-path.ts';
import type { RemoteHandle } from '../remote/remote-handle.ts';
import { markedSink } from './write-mark.ts';

/**
 * Uploads one file: writes it under a temporary name in the destination's folder, sets mode and time, compares the
 * size, and renames it. On any failure the destination is the complete old or new file. If the connection breaks or
 * the signal's abort reason is an Interruption, the partial file stays, and the next call resumes.
 *
 * @returns size of the file (bytes)
 * @throws OverworldError; the signal's abort reason when stopped
 */
export async function uploadFile(copy: FileCopy): Promise<number> {
  const { localPath, remotePath, origin, parts } = copy;
  const local = await LocalFile.toRead(localPath);
  try {
    const stats = await local.stat();
    const { size, mtimeMs } = stats;
    const source = { origin, path: localPath, bytes: size, modifiedAt: mtimeMs };
    const part = joinRemote(parentOf(remotePath), partNameOf(source, nameOf(remotePath)));
    await parts.claim(part, remotePath);
    try {
      if (!(await sendWhole(copy, { local, stats, part }))) await send(copy, { local, stats, part });
      return size;
    } finally {
      parts.release(part);
    }
  } finally {
    await local.close();
  }
}

/** The upload: the local file as it was when it was opened, and its temporary path on the master. */
interface Sent {
  readonly local: LocalFile;
  readonly stats: Stats;
  readonly part: string;
}

/**
 * Uploads a small file in one request.
 *
 * @returns false if the file needs the standard requests: it is too large, has a partial file, is changing, or the
 *   master refused the request; the standard requests then report the reason
 */
async function sendWhole(copy: FileCopy, { local, stats, part }: Sent): Promise<boolean> {
  const { files, remotePath, parts, signal, replace } = copy;
  const { size, mode, mtimeMs } = stats;
  if (size > PUT_FILE_MOST_BYTES || parts.mark(part) !== undefined) return false;
  const data = Buffer.allocUnsafe(size);
  const read = await local.readAt(data, 0);
  const after = await local.stat();
  if (read !== size || after.size !== size || after.mtimeMs !== mtimeMs) return false;
  signal.throwIfAborted();
  const modifiedAt = Math.floor(mtimeMs / 1000);
  // Recorded before the part is created, so that it is found again if the connection or the master fails.
  parts.set(part, 0);
  try {
    const sent = await files.putWhole({
      part,
      target: remotePath,
      mode: mode & 0o777,
      modifiedAt,
      data,
      replace,
    });
    parts.forget(part);
    if (sent) copy.onProgress(size);
    return sent;
  } catch (error) {
    if (files.closed) throw error;
    // The request was refused, so there is no partial file.
    parts.forget(part);
    return false;
  }
}

async function send(copy: FileCopy, { local, stats, part }: Sent): Promise<void> {
  const { files, localPath, remotePath, parts, signal } = copy;
  const { size, mode, mtimeMs } = stats;
  const { handle, from } = await openPart(copy, { local, stats, part });
  try {
    await withRemote(handle, async () => {
      copy.onProgress(from, false);
      const sink = markedSink(handle, from, (mark) => parts.set(part, mark));
      const copied = await copyBytes(sourceFrom(local, from), sink, { ...copy, bytes: size - from });
      const mtime = Math.floor(mtimeMs / 1000);
      // The three requests are independent and run in parallel.
      const attributes = { mode: mode & 0o777, atime: mtime, mtime };
      const [after, written] = await Promise.all([
        local.stat(),
        handle.stat(),
        handle.setAttributes(attributes),
      ]);
      if (from + copied !== size || after.size !== size || after.mtimeMs !== mtimeMs) {
        throw new ChangedWhileRead(remotePath, localPath);
      }
      if (written.size !== size) throw failed(remotePath, `${written.size} of ${size} bytes arrived`);
    });
    signal.throwIfAborted();
    await putInPlace(copy, part);
    parts.forget(part);
  } catch (error) {
    // A part that cannot be deleted stays in the ledger and is deleted with the transfer.
    if (!keepsPart(copy)) {
      await files.deleteFile(part).then(
        () => parts.forget(part),
        () => undefined,
      );
    }
    throw error;
  }
}

/** Opens the partial file for writing: a new one, or an existing one with the position to resume from. */
async function openPart(
  { files, parts, resume }: FileCopy,
  { local, stats: { size }, part }: Sent,
): Promise<{ readonly handle: RemoteHandle; readonly from: number }> {
  const mark = parts.mark(part);
  // Recorded before the part is created, so that it is found again if the connection fails.
  parts.set(part, mark ?? 0);
  try {
    return { handle: await files.open(part, 'wx'), from: 0 };
  } catch (error) {
    const found = await files.find(part);
    if (found?.kind !== 'file') {
      parts.forget(part);
      throw error;
    }
    const from = resume || mark !== undefined ? resumePoint({ bytes: found.bytes, mark }, size) : 0;
    if (from > 0) {
      const handle = await files.open(part, 'r+');
      let isSame = false;
      try {
        isSame = await isSameBefore(from, local, handle);
        if (isSame) return { handle, from };
      } finally {
        if (!isSame) await handle.close();
      }
    }
    await files.deleteFile(part);
    return { handle: await files.open(part, 'wx'), from: 0 };
  }
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
